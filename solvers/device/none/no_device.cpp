#include "base/error.hpp"
#include "solvers/device/gemm.hpp"
#include "solvers/device/none/backend/runtime.hpp"

namespace weir {

void backend::no_device() { throw Error(Exit::no_device, why_no_device()); }

std::string backend::why_no_device() {
  return "this build computes on the host alone; ./weir build default (an emulated device) and ./weir build cuda "
         "(a GPU) have a device";
}

void gemm_device(const GemmBatch&) { backend::no_device(); }

}  // namespace weir
