// A solver of another library (peer.hpp) as the method of a LinearSolver (solvers/registry.hpp). The library
// solves A d = r for the correction; the true residual b - A x computed here decides. If it misses the target, the
// library is called again as long as that halves the residual (which refines a direct solver's answer); otherwise the
// solve is `stagnated`. The library gets the rows on the host, over ranks those of its rank (global_rows.hpp).
#include "solvers/adapters/library_solver.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "solvers/adapters/peer.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/distributed/global_rows.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/matrix/block/block_rows.hpp"
#include "solvers/parallel/agree.hpp"
#include "solvers/refresh.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

const Communicator one_rank;

template <class Space>
class LibraryMethod final : public Krylov<Space> {
 public:
  LibraryMethod(Peer& peer, std::string name, const KrylovOptions& options)
      : peer_(peer), name_(std::move(name)), options_(options) {}
  const char* name() const override { return name_.c_str(); }

  SolveResult solve(const Matrix<Space>& A, const Preconditioner<Space>& M, View<const double> b,
                    View<double> x) override {
    fit(r_, A.size());
    fit(d_, A.size());
    host_r_.resize(static_cast<std::size_t>(A.size()));
    host_d_.resize(host_r_.size());
    const Communicator& ranks = A.ranks() ? *A.ranks() : one_rank;
    Iteration<Space> it(A, M, b, x, options_, this->history_, this->kept_x_);
    for (it.start(r_); it.running();) correct(ranks, it, x);
    SolveResult result = it.finish();
    result.apply_seconds = result.spmv_seconds = result.reduce_seconds = -1;  // not reported by the library
    return result;
  }

 private:
  // x += d with A d = r solved by the library; r becomes the true residual. The ranks take the worst of their reasons.
  void correct(const Communicator& ranks, Iteration<Space>& it, View<double> x) {
    r_.download(host_r_);
    const PeerSolve s =
        peer_.solve(host_r_, it.target(), std::max(1, options_.max_iterations - it.iterations()), host_d_);
    const bool is_finite = std::all_of(host_d_.begin(), host_d_.end(), [](double v) { return std::isfinite(v); });
    const Reason mine = is_finite ? s.reason : Reason::not_finite;
    const auto reason = static_cast<Reason>(static_cast<int>(ranks.max(static_cast<int>(mine))));
    double norm = it.norm();
    if (reason != Reason::not_finite) {
      d_.upload(host_d_);
      axpy<Space>(1, d_, x);
      norm = it.true_residual(r_);
    }
    it.report(s.iterations, norm, reason);
    it.judge(norm);
    if (it.running() && is_interrupted(options_)) it.report(0, norm, Reason::interrupted), it.judge(norm);
  }

  Peer& peer_;
  std::string name_;
  KrylovOptions options_;
  Array<double, Space> r_, d_;
  std::vector<double> host_r_, host_d_;
};

template <class Space>
class LibrarySolver final : public Preconditioner<Space> {
 public:
  LibrarySolver(const std::string& method, const KrylovOptions& options)
      : Preconditioner<Space>({.is_method_alone = true,
                               .takes_floats = true,
                               .works_over_ranks = runs_over_ranks(peer_name(method).library),
                               .talks_in_setup = true,
                               .depends_on_partition = true}),
        name_(method),
        peer_(make_peer(method, options)) {}

  void apply(View<const double>, View<double>) const override {
    throw Error(Exit::usage, "'" + name_ + "' is a method, not a preconditioner");
  }
  std::unique_ptr<Krylov<Space>> own_method(const KrylovOptions& options) const override {
    return std::make_unique<LibraryMethod<Space>>(*peer_, name_, options);
  }
  std::string describe() const override { return peer_->describe(); }

 private:
  SetupInfo do_setup(const Matrix<Space>& A) override { return prepare(A, false); }
  SetupInfo do_update(const Matrix<Space>& A) override { return prepare(A, true); }

  // If the pattern has changed (ghost cells of a moving body), the library is set up again. The conversion of the rows
  // is not the library's work.
  SetupInfo prepare(const Matrix<Space>& A, bool values_only) {
    SetupInfo info;
    const Communicator& ranks = A.ranks() ? *A.ranks() : one_rank;
    timed(info.diagnostics_seconds, [&] {
      BlockCsrData rows = rows_of(A);
      values_only = !ranks.any(!values_only || rows.row_start != rows_.row_start || rows.column != rows_.column);
      rows_ = std::move(rows);
    });
    const std::int64_t before = heap_bytes();
    all_or_none(ranks, [&] {
      if (values_only) return peer_->update(rows_);
      if (ranks.size() > 1) peer_->run_over(ranks.mpi_comm());
      peer_->setup(rows_);
    });
    if (!values_only) bytes_ = std::max<std::int64_t>(0, bytes_ + heap_bytes() - before);  // of the last set-up, freed
    info.bytes = bytes_;
    return info;
  }
  BlockCsrData rows_of(const Matrix<Space>& A) const {
    const auto* spread = dynamic_cast<const DistributedMatrix<Space>*>(&A);
    if (!spread) return block_rows(A);
    if (spread->ranks()->size() > 1 && !this->works_over_ranks())
      throw Error(Exit::usage, "'" + name_ + "' runs on one rank only");
    return rows_in_rank_order(*spread);
  }

  std::string name_;
  std::unique_ptr<Peer> peer_;
  BlockCsrData rows_;
  std::int64_t bytes_ = 0;
};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make(const std::string& method, const Table& options,
                                            const KrylovOptions& krylov) {
  if (krylov.norm == Norm::max) options.fail("norm", "'" + method + "' supports the l2 norm only");
  if (!RefreshPolicy(options, method).is_always())
    options.fail("refresh",
                 "'" + method + "' supports \"always\" only: the library solves with the matrix of its set-up");
  return std::make_unique<LibrarySolver<Space>>(method, krylov);
}

}  // namespace

void offer_library_solvers() { library_solvers = {is_peer, make<Host>, make<Device>}; }

}  // namespace weir
