// Open MPI reports whether it was built for device memory.
#include "solvers/parallel/mpi_check.hpp"

#include <mpi-ext.h>

namespace weir::mpi {

const char* why_not_device_memory() {
  return MPIX_Query_cuda_support() == 1 ? "" : "this Open MPI was built without CUDA";
}

}  // namespace weir::mpi
