// An MPI that has no way to tell whether it takes device memory: to try it without knowing may end the process.
#include "solvers/parallel/mpi_check.hpp"

namespace weir::mpi {

const char* why_not_device_memory() { return "unknown whether this MPI library takes device memory"; }

}  // namespace weir::mpi
