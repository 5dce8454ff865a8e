#include "solvers/c/solver.hpp"

#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/c/bands.hpp"
#include "solvers/c/lockstep.hpp"
#include "solvers/c/open_loop.hpp"
#include "solvers/device/on_host.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/scaled_solve.hpp"
#include "solvers/registry.hpp"

namespace weir::c {

namespace {

// y = A x by a function of the caller's.
template <class Space>
class CallbackMatrix : public Matrix<Space> {
 public:
  CallbackMatrix(const RowParts& parts, std::uint32_t flags, weir_operator apply, void* context)
      : size_(parts.end() - parts.begin()),
        unknowns_(parts.all()),
        ranks_(parts.is_alone() ? nullptr : parts.ranks),
        flags_(flags),
        apply_(apply),
        context_(context) {}
  int rows() const override { return size_; }
  const Communicator* ranks() const override { return ranks_; }
  std::int64_t unknowns() const override { return unknowns_; }
  bool is_symmetric() const override { return flags_ & WEIR_SYMMETRIC; }
  bool has_constant_null_space() const override { return flags_ & WEIR_CONSTANT_NULL_SPACE; }
  void apply(View<const double> x, View<double> y) const override {
    if (const int code = apply_(context_, x.data(), y.data()))
      throw Error(Exit::solver_failed, "the operator returned " + std::to_string(code));
  }
  void residual(View<const double> b, View<const double> x, View<double> r) const override {
    if (r.data() != b.data()) {
      apply(x, r);
    } else {  // in place
      if (product_.size() != size_) product_ = Array<double, Space>(size_);
      apply(x, product_);
    }
    const double* y = r.data() != b.data() ? r.data() : product_.data();
    for_each<Space>(size_, [r, b, y] WEIR_HD(std::int64_t i) { r[i] = b[i] - y[i]; });
  }
  void block_diagonal(int, View<double>) const override {
    refuse("an operator without a matrix has no diagonal: pass a matrix for the preconditioner (near)");
  }
  Work apply_work() const override { return {}; }

 private:
  int size_, unknowns_;
  const Communicator* ranks_;
  std::uint32_t flags_;
  weir_operator apply_;
  void* context_;
  mutable Array<double, Space> product_;
};

// Numbers between -1 and 1 without a pattern.
template <class Space>
void fill(View<double> v, double seed) {
  for_each<Space>(v.size(), [=] WEIR_HD(std::int64_t i) { v[i] = sin(seed * static_cast<double>(i * i % 9973 + i)); });
}

template <class Space>
class SolverOf final : public AnySolver {
 public:
  SolverOf(const std::string& options, std::function<bool()> is_cancelled)
      : options_(options), is_cancelled_(std::move(is_cancelled)) {
    solver_ = make();
    if (const Table given = table(); given.has("select")) loop_.emplace(given.table("select"));
  }

  void setup(BlockCsrData data, const RowParts& parts, const weir_csr* lent) override {
    operator_.reset();
    begin(std::make_unique<Rows<Space>>(std::move(data), parts, lent));
  }
  void setup_stencil(const weir_stencil& shape, const std::vector<double>& values) override {
    operator_.reset();
    begin(std::make_unique<Bands<Space>>(shape, values));
  }
  void setup_operator(const RowParts& parts, std::uint32_t flags, weir_operator apply, void* context,
                      BlockCsrData* near, const RowParts& near_parts) override {
    operator_ = std::make_unique<CallbackMatrix<Space>>(parts, flags, apply, context);
    if (loop_) refuse("[select] requires a matrix; it cannot choose a solver of an operator");
    if (near) return begin(std::make_unique<Rows<Space>>(std::move(*near), near_parts));
    own_.reset();
    solver_ = set_up(*operator_);
  }
  void update(const std::vector<double>& values) override {
    own_->update(values);
    transposed_.reset();
    is_adjoint_ = false;
    if (!loop_) return solver_->update(own_->matrix());
    loop_->add_setup();
    try {
      solver_->update(own_->matrix());
    } catch (const Error&) {
      if (loop_->current() == 0) throw;
      take_default(own_->matrix());
    }
  }
  std::vector<SolveResult> solve(bool is_transposed, int k, const double* b, std::int64_t stride_b, double* x,
                                 std::int64_t stride_x) override {
    LinearSolver<Space>& solver = is_transposed ? transposed() : *solver_;
    const Matrix<Space>& A = is_transposed ? transposed_own_->matrix() : matrix();
    const int n = A.size();
    const auto b_of = [=](int j) { return View<const double>(b + j * stride_b, n); };
    const auto x_of = [=](int j) { return View<double>(x + j * stride_x, n); };
    last_ = &solver;
    if constexpr (std::is_same_v<Space, Host>) {
      const auto* csr = dynamic_cast<const BlockCsr<Host>*>(&A);
      if (k > 1 && csr && may_share_passes(solver)) return solve_together(solver, *csr, k, b_of, x_of);
    }
    std::vector<SolveResult> results;
    for (int j = 0; j < k && (j == 0 || results.back().reason != Reason::interrupted); ++j)
      results.push_back(loop_ && !is_transposed ? solve_by_choice(A, b_of(j), x_of(j))
                                                : solver.solve(A, b_of(j), x_of(j)));
    results.resize(static_cast<std::size_t>(k), {.reason = Reason::interrupted});
    return results;
  }
  void apply(bool is_transposed, const double* r, double* z) override {
    if (is_transposed) require_adjoint();
    LinearSolver<Space>& solver = is_transposed ? transposed() : *solver_;
    const int n = matrix().size();
    solver.preconditioner().apply(View<const double>(r, n), View<double>(z, n));
  }
  void record(weir_capture* to, bool with_pattern, const double* b, const double* x) const override {
    if (operator_ || !own_) return;
    const BlockCsrData A = own_->entries();
    const int n = matrix().size();
    if (with_pattern) weir_capture_pattern_64(to, A.rows(), A.block, A.row_start.data(), A.column.data(), 0);
    const std::int64_t count = weir_capture_count(to);
    weir_capture_system(to, A.value.data(), on_host<Space>(View<const double>(b, n)).data(),
                        on_host<Space>(View<const double>(x, n)).data(), count, static_cast<double>(count));
    if (weir_capture_failed(to)) throw Error(Exit::file_io, weir_capture_error(to));
  }
  SetupInfo info() const override { return solver_->setup_info(); }
  const std::vector<double>& history() const override { return (last_ ? last_ : solver_.get())->krylov().history(); }
  std::string describe() const override {
    return loop_ ? "[select] " + loop_->name() + ": " + solver_->describe() : solver_->describe();
  }

 private:
  using Solver = std::unique_ptr<LinearSolver<Space>>;

  Solver make_from(const Table& options, const KrylovOptions& defaults) const {
    auto solver = std::make_unique<LinearSolver<Space>>(options, default_method, default_preconditioner, defaults);
    solver->stop_when(is_cancelled_);
    return solver;
  }
  // The solver of the options, then those of [select], which take its tolerance, norm and limits unless they name
  // their own.
  std::vector<Solver> make_all() const {
    const Table given = table();
    KrylovOptions defaults;
    defaults.history = true;
    defaults.strict = true;
    std::vector<Solver> all;
    all.push_back(make_from(given, defaults));
    if (given.has("select")) {
      const Table select = given.table("select");
      defaults = read_krylov_options(given, defaults);
      const OpenLoop choice(select);
      for (const std::string& name : choice.names()) all.push_back(make_from(select.table(name), defaults));
    }
    given.refuse_unknown();
    return all;
  }
  Solver make() const { return std::move(make_all().front()); }

  // The default solver is the current one, set up from A.
  void take_default(const Matrix<Space>& A) {
    take(0);
    loop_->fall_back();
    solver_->setup(A);
  }
  // Solver k in place of the current one.
  void take(std::size_t k) {
    rivals_[holds_] = std::move(solver_);
    solver_ = std::move(rivals_[k]);
    last_ = solver_.get();
    holds_ = k;
  }
  // By the current solver, and where that fails by the default; in a race by all others, too, from the same guess.
  SolveResult solve_by_choice(const Matrix<Space>& A, View<const double> b, View<double> x) {
    const bool is_race = loop_->is_race_due();
    start_ = Array<double, Space>(x.size());
    assign<Space>(x, start_);
    SolveResult result = solver_->solve(A, b, x);
    if (result.reason != Reason::converged && result.reason != Reason::interrupted && loop_->current() > 0) {
      take_default(A);
      assign<Space>(start_, x);
      const SolveResult first = result;
      result = solver_->solve(A, b, x);
      result.add_first_attempt(first, solver_->setup_info().seconds);
    }
    if (result.reason == Reason::interrupted) return result;
    loop_->add_solve(result.solve_seconds);
    if (is_race) race(A, b, result);
    return result;
  }
  void race(const Matrix<Space>& A, View<const double> b, const SolveResult& current) {
    Array<double, Space> x(start_.size());
    std::vector<Lap> laps(rivals_.size());
    laps[holds_] = {current.reason == Reason::converged, solver_->setup_info().seconds, current.solve_seconds};
    for (std::size_t k = 0; k < laps.size(); ++k) {
      if (k == holds_) continue;
      try {
        rivals_[k]->setup(A);
        assign<Space>(start_, x);
        const SolveResult result = rivals_[k]->solve(A, b, x);
        if (result.reason == Reason::interrupted) return;
        laps[k] = {result.reason == Reason::converged, rivals_[k]->setup_info().seconds, result.solve_seconds};
      } catch (const Error&) {  // it cannot be set up, or fails otherwise: it loses
      }
    }
    loop_->decide(laps);
    if (loop_->current() != holds_) take(loop_->current());
  }

  // Nothing of a solve depends on the earlier ones.
  bool may_share_passes(const LinearSolver<Space>& solver) const {
    return runs_in_lockstep(read_solver_names(table(), default_method, default_preconditioner).method) &&
           !solver.remembers() && !loop_;
  }
  template <class B, class X>
  std::vector<SolveResult> solve_together(LinearSolver<Host>& solver, const BlockCsr<Host>& A, int k, const B& b,
                                          const X& x) {
    const bool is_relative = read_krylov_options(table()).relative;
    while (static_cast<int>(others_.size()) < k - 1) others_.push_back(make());
    return solve_in_lockstep(A, solver.preconditioner(), k, [&](int j, const Matrix<Host>& Aj, const auto& M) {
      Krylov<Host>& method = (j == 0 ? solver : *others_[j - 1]).krylov();
      const auto run = [&](View<const double> rhs, View<double> to) { return method.solve(Aj, M, rhs, to); };
      return is_relative ? solve_scaled<Host>(Aj, b(j), x(j), run) : run(b(j), x(j));
    });
  }
  Table table() const { return read_case_text(options_, "options"); }

  // A preconditioner without a form over ranks is applied to the rows of each rank.
  Solver set_up(const Matrix<Space>& A) const {
    Solver solver = make();
    if (A.ranks() && solver->preconditioner().works_over_ranks())
      solver->spread_over_ranks(&A);
    else if (A.ranks())
      solver->precondition_each_rank();
    solver->setup(A);
    return solver;
  }
  void begin(std::unique_ptr<OwnMatrix<Space>> own) {
    transposed_.reset();
    is_adjoint_ = false;
    last_ = nullptr;
    if (loop_ && own->matrix().ranks()) refuse("[select] runs on one rank only");
    solver_ = set_up(own->matrix());
    own_ = std::move(own);
    if (!loop_) return;
    loop_.emplace(table().table("select"));
    loop_->add_setup();
    rivals_ = make_all();
    holds_ = 0;
    rivals_[0].reset();  // it is solver_
  }
  const Matrix<Space>& matrix() const {
    if (operator_) return *operator_;
    if (!own_) refuse("no matrix yet: call weir_setup first");
    return own_->matrix();
  }
  // A preconditioner of A^T is the transpose of that of A for all whose pattern and ordering follow from a symmetric
  // pattern.
  LinearSolver<Space>& transposed() {
    matrix();
    if (operator_) refuse("an operator without a matrix cannot be transposed");
    if (!transposed_) {
      transposed_own_ = own_->transposed();
      transposed_ = set_up(transposed_own_->matrix());
    }
    return *transposed_;
  }

  static constexpr const char *default_method = "gmres", *default_preconditioner = "block_ilu0";

  // Compares <M_T^-1 u, v> with <u, M^-1 v>, M_T being the preconditioner of A^T, for one pair of vectors.
  void require_adjoint() {
    const Preconditioner<Space>&M = solver_->preconditioner(), &of_transpose = transposed().preconditioner();
    if (is_adjoint_) return;
    if (!M.is_constant()) refuse("it has no transpose, because it is not a constant operator: " + M.describe());
    const int n = matrix().size();
    Array<double, Space> u(n), v(n), Mu(n), Mv(n);
    fill<Space>(u, 0.7);
    fill<Space>(v, 1.3);
    of_transpose.apply(u, Mu);
    M.apply(v, Mv);
    double sums[] = {dot<Space>(Mu, v), dot<Space>(u, Mv), dot<Space>(u, u), dot<Space>(Mv, Mv)};
    if (matrix().ranks()) matrix().ranks()->sum(sums);
    const double rounding = M.traits().storage == StoredAs::float64 ? 1e-11 : 1e-4;
    is_adjoint_ = std::abs(sums[0] - sums[1]) <= rounding * std::sqrt(sums[2] * sums[3]);
    if (!is_adjoint_) refuse("the preconditioner of A^T is not the transpose of that of A: " + M.describe());
  }

  std::string options_;
  std::function<bool()> is_cancelled_;
  bool is_adjoint_ = false;
  std::unique_ptr<OwnMatrix<Space>> own_, transposed_own_;
  std::unique_ptr<CallbackMatrix<Space>> operator_;
  Solver solver_, transposed_;
  std::vector<Solver> others_;    // whose methods solve for further right-hand sides
  std::optional<OpenLoop> loop_;  // [select]
  std::vector<Solver> rivals_;    // of [select], the default first; the current one is solver_
  std::size_t holds_ = 0;         // the number of the current one
  Array<double, Space> start_;    // the initial guess of a solve with [select]
  LinearSolver<Space>* last_ = nullptr;
};

}  // namespace

template <class Space>
std::unique_ptr<AnySolver> make_solver(const std::string& options, std::function<bool()> is_cancelled) {
  return std::make_unique<SolverOf<Space>>(options, std::move(is_cancelled));
}
template std::unique_ptr<AnySolver> make_solver<Host>(const std::string&, std::function<bool()>);
template std::unique_ptr<AnySolver> make_solver<Device>(const std::string&, std::function<bool()>);

}  // namespace weir::c
