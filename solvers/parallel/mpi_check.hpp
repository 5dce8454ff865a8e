// Checks MPI's return codes. Only for the files of this folder that call MPI.
#pragma once
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <memory>

#include "solvers/parallel/communicator.hpp"

namespace weir::mpi {

void check(int status, const char* call);  // throws Error(internal) with the function's name and MPI's own text
#define WEIR_MPI(call) ::weir::mpi::check(call, #call)

std::unique_ptr<HaloTransport> make_transport(MPI_Comm comm, HaloStrategy strategy, const HaloLinks& links,
                                              const double* send, double* receive);
// Empty if this MPI library supports device memory, else the reason.
const char* why_not_device_memory();

}  // namespace weir::mpi
