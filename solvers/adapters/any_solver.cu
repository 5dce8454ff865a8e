#include "solvers/adapters/any_solver.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/timer.hpp"
#include "solvers/adapters/peer.hpp"
#include "solvers/adapters/vendor/vendor_kernels.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/krylov/scaled_solve.hpp"
#include "solvers/matrix/block/block_rows.hpp"
#include "solvers/preconditioner/parilu/parilu.hpp"
#include "solvers/studied_solver.hpp"

namespace weir {
namespace {

template <class Space>
class OwnSolver : public AnySolver<Space> {
 public:
  OwnSolver(const Table& options, const std::string& method, const std::string& preconditioner,
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

template <class Space>
class PeerSolver : public AnySolver<Space> {
 public:
  PeerSolver(const std::string& method, const Table& options, const KrylovOptions& defaults)
      : name_(method),
        options_(read_krylov_options(options, defaults)),
        none_(make_preconditioner<Space>("none", Table())) {
    if (options_.norm == Norm::max) options.fail("norm", "'" + method + "' supports the l2 norm only");
    start_from_zero_ = options.choice("initial_guess", {"previous", "zero"}, "previous") == "zero";
    peer_ = make_peer(method, options_);
  }

  void setup(const Matrix<Space>& A) override { prepare(A, false); }
  void update(const Matrix<Space>& A) override { prepare(A, true); }

  SolveResult solve(const Matrix<Space>& A, View<const double> b, View<double> x) override {
    if (start_from_zero_) fill<Space>(0, x);
    fit(r_, A.size());
    fit(d_, A.size());
    host_r_.resize(static_cast<std::size_t>(A.size()));
    host_d_.resize(host_r_.size());
    const auto solve_by_library = [&](View<const double> rhs, View<double> solution) {
      Iteration<Space> it(A, *none_, rhs, solution, options_, history_, kept_);
      for (it.start(r_); it.running();) correct(it, solution);
      return it.finish();
    };
    SolveResult result = options_.relative ? solve_scaled<Space>(A, b, x, solve_by_library) : solve_by_library(b, x);
    result.apply_seconds = result.spmv_seconds = result.reduce_seconds = -1;  // not reported by the library
    return result;
  }

  const SetupInfo& setup_info() const override { return info_; }
  std::string name() const override { return name_; }
  std::string describe() const override { return peer_->describe(); }
  std::span<const double> history() const override { return history_; }

 private:
  // If the pattern has changed (ghost cells of a moving body), the library is set up again.
  void prepare(const Matrix<Space>& A, bool values_only) {
    BlockCsrData data = block_rows(A);
    values_only = values_only && data.row_start == data_.row_start && data.column == data_.column;
    data_ = std::move(data);
    info_ = {};
    const std::int64_t before = heap_bytes();
    {
      ScopedTimer timer(info_.seconds);
      if (values_only)
        peer_->update(data_);
      else
        peer_->setup(data_);
    }
    if (!values_only) bytes_ = std::max<std::int64_t>(0, heap_bytes() - before);
    info_.bytes = bytes_;
  }

  // x += d with A d = r solved by the library; r becomes the true residual, which decides on convergence.
  void correct(Iteration<Space>& it, View<double> x) {
    r_.download(host_r_);
    const PeerSolve s =
        peer_->solve(host_r_, it.target(), std::max(1, options_.max_iterations - it.iterations()), host_d_);
    const bool is_finite = std::ranges::all_of(host_d_, [](double v) { return std::isfinite(v); });
    double norm = it.norm();
    if (is_finite) {
      d_.upload(host_d_);
      axpy<Space>(1, d_, x);
      norm = it.true_residual(r_);
    }
    it.report(s.iterations, norm, is_finite ? s.reason : Reason::not_finite);
    it.judge(norm);
  }

  std::string name_;
  KrylovOptions options_;
  std::unique_ptr<Preconditioner<Space>> none_;
  std::unique_ptr<Peer> peer_;
  bool start_from_zero_ = false;
  BlockCsrData data_;
  SetupInfo info_;
  std::int64_t bytes_ = 0;
  Array<double, Space> r_, d_, kept_;
  std::vector<double> host_r_, host_d_, history_;
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
  if (is_peer(method)) return std::make_unique<PeerSolver<Space>>(method, options, defaults);
  if (method.starts_with("cusparse:")) return std::make_unique<VendorSolver<Space>>(method, options, defaults);
  return std::make_unique<OwnSolver<Space>>(options, default_method, default_preconditioner, defaults);
}

template std::unique_ptr<AnySolver<Host>> make_any_solver(const Table&, const std::string&, const std::string&,
                                                          const KrylovOptions&);
template std::unique_ptr<AnySolver<Device>> make_any_solver(const Table&, const std::string&, const std::string&,
                                                            const KrylovOptions&);

}  // namespace weir
