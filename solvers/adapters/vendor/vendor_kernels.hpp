// What NVIDIA's cuSPARSE offers for the work of our kernels on a device, for comparison: bsrilu02, and SpSV on scalar
// rows or bsrsv2 on blocks. Analyses are made once a pattern. (bsr routines are deprecated since CUDA 12 and still there
// in 13.)
//
// Other builds than cuda have vendor_kernels_none.cpp, which has none.
#pragma once
#include <memory>

#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

class VendorKernels {
 public:
  virtual ~VendorKernels() = default;
  virtual void factorise() = 0;                                  // ILU(0) of A's present values: bsrilu02
  virtual void solve(View<const double> r, View<double> z) = 0;  // z = U^-1 L^-1 r: SpSV, or bsrsv2
  virtual std::int64_t bytes() const = 0;                        // of factors and work space
};

// Refers to A, whose values may change. Every block row must have its diagonal block. Error(usage) without cuSPARSE.
std::unique_ptr<VendorKernels> make_vendor_kernels(const BlockCsr<Device>& A);
bool has_vendor_kernels();

// bsrilu02 + bsrsv2 (or SpSV) as a preconditioner for our Krylov methods on a device.
std::unique_ptr<Preconditioner<Device>> make_vendor_ilu0();

}  // namespace weir
