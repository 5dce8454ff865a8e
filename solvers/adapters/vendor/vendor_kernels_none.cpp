// Replaces vendor_kernels_cuda.cpp in builds without CUDA.
#include "base/error.hpp"
#include "solvers/adapters/vendor/vendor_kernels.hpp"

namespace weir {

bool has_vendor_kernels() { return false; }

std::unique_ptr<VendorKernels> make_vendor_kernels(const BlockCsr<Device>&) {
  throw Error(Exit::usage, "this build lacks CUDA, which cuSPARSE requires");
}

}  // namespace weir
