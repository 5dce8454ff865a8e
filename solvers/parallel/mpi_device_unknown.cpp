// An MPI that does not report support for device memory; trying could crash the process.
#include "solvers/parallel/mpi_check.hpp"

namespace weir::mpi {

const char* why_not_device_memory() { return "unknown whether this MPI library takes device memory"; }

}  // namespace weir::mpi
