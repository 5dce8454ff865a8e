#include "base/error.hpp"
#include "solvers/adapters/vendor/vendor_kernels.hpp"

namespace weir {
namespace {

class VendorIlu0 : public Preconditioner<Device> {
 public:
  SetupInfo do_setup(const Matrix<Device>& A) override {
    const auto* rows = dynamic_cast<const BlockCsr<Device>*>(&A);
    if (!rows) throw Error(Exit::usage, "cuSPARSE requires a block CSR matrix");
    kernels_ = make_vendor_kernels(*rows);
    return do_update(A);
  }
  SetupInfo do_update(const Matrix<Device>&) override {
    kernels_->factorise();
    return {.bytes = kernels_->bytes()};
  }
  void apply(View<const double> r, View<double> z) const override { kernels_->solve(r, z); }
  bool is_symmetric() const override { return false; }
  std::string describe() const override { return "cuSPARSE, bsrilu02"; }

 private:
  std::unique_ptr<VendorKernels> kernels_;
};

}  // namespace

std::unique_ptr<Preconditioner<Device>> make_vendor_ilu0() { return std::make_unique<VendorIlu0>(); }

}  // namespace weir
