#include "solvers/adapters/any_solver.hpp"

#include <type_traits>

#include "base/error.hpp"
#include "solvers/adapters/library_solver.hpp"
#include "solvers/adapters/peer.hpp"
#include "solvers/adapters/vendor/vendor_kernels.hpp"
#include "solvers/preconditioner/parilu/parilu.hpp"
#include "solvers/studied_solver.hpp"

namespace weir {
namespace {

// At the start of every program that links this file.
[[maybe_unused]] const bool are_libraries_offered = (offer_library_solvers(), true);

template <class Space>
class RegularSolver : public AnySolver<Space> {
 public:
  RegularSolver(const Table& options, const std::string& method, const std::string& preconditioner,
                const KrylovOptions& defaults)
      : solver_(options, method, preconditioner, defaults), krylov_(solver_.krylov()) {
    solver_.start_as_given();
    solver_.record_failed_calls();
  }
  void spread_like(const LinearSolver<Space>& reference) override { solver_.spread_like(reference); }
  void stop_like(const LinearSolver<Space>& reference) override { solver_.stop_like(reference); }
  void setup(const Matrix<Space>& A) override { solver_.setup(A); }
  void update(const Matrix<Space>& A) override { solver_.update(A); }
  SolveResult solve(const Matrix<Space>& A, View<const double> b, View<double> x) override {
    return solver_.solve(A, b, x);
  }
  bool remembers() const override { return solver_.remembers(); }
  const SetupInfo& setup_info() const override { return solver_.setup_info(); }
  std::string name() const override { return solver_.name(); }
  std::string describe() const override { return solver_.describe(); }
  std::span<const double> history() const override { return krylov_.history(); }
  std::string report() override { return solver_.preconditioner().report(); }

 private:
  StudiedSolver<Space> solver_;
  const Krylov<Space>& krylov_;
};

// "cusparse:gmres+ilu0": our Krylov method with cuSPARSE's factorisation and triangular solves.
template <class Space>
class VendorSolver : public AnySolver<Space> {
 public:
  VendorSolver(const std::string& method, const Table& options, const KrylovOptions& defaults) : name_(method) {
    const std::string what = peer_name(method).what;
    const std::size_t plus = what.find("+ilu0");
    if (plus == std::string::npos || plus + 5 != what.size())
      refuse_peer("cusparse", what, "bicgstab+ilu0, gmres+ilu0, fgmres+ilu0");
    if constexpr (std::is_same_v<Space, Device>) ilu0_ = make_vendor_ilu0();
    if (!ilu0_ || !has_vendor_kernels())
      throw Error(Exit::usage, "'" + method + "' needs a build with CUDA, and --space device");
    krylov_ = make_krylov<Space>(what.substr(0, plus), read_krylov_options(options, defaults));
  }
  void setup(const Matrix<Space>& A) override { info_ = ilu0_->setup(A); }
  void update(const Matrix<Space>& A) override { info_ = ilu0_->update(A); }
  SolveResult solve(const Matrix<Space>& A, View<const double> b, View<double> x) override {
    return krylov_->solve(A, *ilu0_, b, x);
  }
  const SetupInfo& setup_info() const override { return info_; }
  std::string name() const override { return name_; }
  std::string describe() const override { return std::string(krylov_->name()) + " + " + ilu0_->describe(); }

 private:
  std::string name_;
  std::unique_ptr<Preconditioner<Space>> ilu0_;
  std::unique_ptr<Krylov<Space>> krylov_;
  SetupInfo info_;
};

}  // namespace

template <class Space>
std::unique_ptr<AnySolver<Space>> make_any_solver(const Table& options, const std::string& default_method,
                                                  const std::string& default_preconditioner,
                                                  const KrylovOptions& defaults) {
  const std::string method = options.get<std::string>("method", default_method);
  if (ForcingRule::is_given(options) && !defaults.forcing)
    options.fail("tolerance", "a candidate solver needs a number here, or no value (that of the reference solver)");
  if (method.starts_with("cusparse:")) return std::make_unique<VendorSolver<Space>>(method, options, defaults);
  return std::make_unique<RegularSolver<Space>>(options, default_method, default_preconditioner, defaults);
}

template std::unique_ptr<AnySolver<Host>> make_any_solver(const Table&, const std::string&, const std::string&,
                                                          const KrylovOptions&);
template std::unique_ptr<AnySolver<Device>> make_any_solver(const Table&, const std::string&, const std::string&,
                                                            const KrylovOptions&);

}  // namespace weir
