// NVIDIA's cuSPARSE counterparts of our device kernels, for comparison: bsrilu02, and SpSV on scalar rows or bsrsv2
// on blocks. Analyses are made once per pattern. (bsr routines are deprecated since CUDA 12 but still present in 13.)
// Builds without CUDA use vendor_kernels_none.cpp.
#pragma once
#include <memory>

#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

class VendorKernels {
 public:
  virtual ~VendorKernels() = default;
  virtual void factorise() = 0;                                  // ILU(0) of the current values of A: bsrilu02
  virtual void solve(View<const double> r, View<double> z) = 0;  // z = U^-1 L^-1 r: SpSV, or bsrsv2
  virtual std::int64_t bytes() const = 0;                        // of factors and work space
};

// Refers to A, whose values may change. Every block row needs a diagonal block. Throws Error(usage) without cuSPARSE.
std::unique_ptr<VendorKernels> make_vendor_kernels(const BlockCsr<Device>& A);
bool has_vendor_kernels();

// bsrilu02 + bsrsv2 (or SpSV) as a preconditioner for Krylov methods on a device.
std::unique_ptr<Preconditioner<Device>> make_vendor_ilu0();

}  // namespace weir
