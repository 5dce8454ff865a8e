// What the rules of a failed solve work with: facts of the system, each found once and only when asked for, and trials.
#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "mesh/graph/graph.hpp"
#include "solvers/device/on_host.hpp"
#include "solvers/diagnosis/diagnosis.hpp"
#include "solvers/diagnosis/failed_solve.hpp"
#include "solvers/diagnosis/spectrum.hpp"
#include "solvers/matrix/block/block_rows.hpp"
#include "solvers/matrix/block/cut_blocks.hpp"

namespace weir {

// The pivots of ILU(0) of scalar rows in their order, without any exchange; of blocks they are the same, since a block's own
// elimination drops nothing. The search ends at the first pivot that vanishes (to rounding, of the numbers that were
// subtracted), is not there, or is no finite number.
struct Pivots {
  int bad_row = -1;        // -1: none
  double bad_value = 0;    // of that pivot
  double diagonal = 0;     // the entry that it began as
  double least_ratio = 1;  // the smallest |pivot| / largest entry of its row, of those before
  int least_row = -1;
};
Pivots ilu0_pivots(BlockCsrData scalar);

// One solve with something changed.
struct Trial {
  bool possible = false;  // nobody refused
  SolveResult result;
  bool works() const { return possible && result.converged(); }
};
inline std::string told(const Trial& t) {
  return "converged in " + std::to_string(t.result.iterations) + " iterations";
}

template <class Space>
class Examination {
 public:
  explicit Examination(const FailedSolve<Space>& f) : failed(f), b_(on_host<Space>(f.b)), x_(on_host<Space>(f.x)) {
    if (b_.empty()) b_.assign(f.A->size(), 1.0);  // a matrix was refused before there was any
  }

  const FailedSolve<Space>& failed;
  const SolverSettings& settings() const { return failed.settings; }
  const SolveResult& result() const { return failed.result; }
  std::string row(int i) const { return failed.name_of_row ? failed.name_of_row(i) : "row " + std::to_string(i); }
  std::string key(const std::string& name) const {
    return settings().table.empty() ? name : settings().table + "." + name;
  }
  bool was_refused() const { return !failed.refusal.empty(); }

  // Facts. Rows are scalar; null where the matrix stores none.
  const std::vector<double>& b() const { return b_; }
  const std::vector<double>& x() const { return x_; }
  const BlockCsrData* rows() {
    if (!rows_known_) {
      rows_known_ = true;
      for (const Matrix<Space>* from : {failed.A, failed.prepared_from}) {
        if (rows_ || !from || from->ranks()) continue;
        try {
          BlockCsrData blocks = block_rows(*from);
          if (static_cast<double>(blocks.value.size()) > most_entries) continue;
          rows_ = blocks.block > 1 ? scalar_rows(blocks) : std::move(blocks);
          rows_->constant_null_space = from->has_constant_null_space();
        } catch (const Error&) {  // entries that are nowhere stored
        }
      }
    }
    return rows_ ? &*rows_ : nullptr;
  }
  // Where there are rows.
  const BlockCsrData& transposed_rows() {
    if (!transposed_) transposed_ = transposed(*rows());
    return *transposed_;
  }
  const Diagnosis& diagnosis() {
    if (!diagnosis_) diagnosis_ = diagnose(*rows());
    return *diagnosis_;
  }
  const Pivots& pivots() {
    if (!pivots_) pivots_ = ilu0_pivots(*rows());
    return *pivots_;
  }
  // What rounding leaves of |b - A x|, at the x where the solve ended; 0: not known, or the matrix was refused before there
  // was any x.
  double attainable() {
    if (x_.empty() || !rows()) return 0;
    const double l2 = rounding_of_residual(*rows(), x_);
    return settings().krylov.norm == Norm::max ? l2 / std::sqrt(static_cast<double>(x_.size())) : l2;
  }
  // Whether the residual where the solve ended is orthogonal to the range of A, as that of a system without a solution is: where
  // there are rows.
  bool is_left_null_space() {
    if (x_.size() != b_.size()) return false;
    std::vector<double> r(b_.size()), image(b_.size());
    multiply(*rows(), x_, r);
    double size = 0, largest = 0;
    for (std::size_t i = 0; i < r.size(); ++i) {
      r[i] = b_[i] - r[i];
      size += r[i] * r[i];
    }
    multiply(transposed_rows(), r, image);
    for (const double a : rows()->value) largest = std::max(largest, std::abs(a));
    double sum = 0;
    for (const double a : image) sum += a * a;
    constexpr double small = 1e-3;
    return sum <= small * small * largest * largest * size;
  }
  // Of |b - A x|.
  double target() const {
    const KrylovOptions& o = settings().krylov;
    if (!o.relative) return o.tolerance;
    return o.tolerance * (o.reference == "initial" ? result().residual0 : size_of_b());
  }
  // In the norm of the solve.
  double size_of_b() const {
    double sum = 0, most = 0;
    for (const double e : b_) {
      sum += e * e;
      most = std::max(most, std::abs(e));
    }
    return settings().krylov.norm == Norm::max ? most : std::sqrt(sum);
  }

  // Trials of A itself, from x = 0, in the space of the solve.
  Trial with(const std::string& method, const KrylovOptions& options, const Preconditioner<Space>& M) {
    return attempt([&] { return solved(method, options, M); });
  }
  // The preconditioner as it was, or a new one.
  Trial with_own(const std::string& method, const KrylovOptions& options) {
    if (failed.M) return with(method, options, *failed.M);
    return attempt([&] { return solved(method, options, *fresh()); });
  }
  // Limits as they were.
  Trial with_fresh(const std::string& method, const std::string& type, const Table& options) {
    return attempt([&] { return solved(method, settings().krylov, *fresh(type, options)); });
  }
  // Trials of scalar rows (another matrix or order), on the host.
  Trial of_rows(const BlockCsrData& rows, const std::vector<double>& b, const std::string& method,
                const KrylovOptions& options, const std::string& type, const Table& preconditioner) {
    return attempt([&] {
      const BlockCsr<Host> A(rows);
      auto M = make_preconditioner<Host>(type, preconditioner);
      M->setup(A);
      const Array<double, Host> rhs(b);
      Array<double, Host> x(static_cast<std::int64_t>(b.size()));
      return make_krylov<Host>(method, options)->solve(A, *M, rhs, x);
    });
  }
  Trial of_rows(const BlockCsrData& rows, const std::vector<double>& b) {  // by the solver as it was
    const SolverSettings& s = settings();
    return of_rows(rows, b, s.method, s.krylov, s.preconditioner, s.preconditioner_options);
  }

  // Options of the solve with another limit, which is kept within about `most_seconds` of this solve's speed.
  KrylovOptions longer(double factor, int at_least) const {
    KrylovOptions o = settings().krylov;
    const double wanted = std::max(factor * o.max_iterations, static_cast<double>(at_least));
    const double an_iteration = result().solve_seconds / std::max(result().iterations, 1);
    const double affordable = an_iteration > 0 ? most_seconds / an_iteration : wanted;
    o.max_iterations = static_cast<int>(std::clamp(std::min(wanted, affordable), o.max_iterations + 1.0, 1e6));
    return o;
  }

  // M^-1 of a vector that is drawn from a seed; empty where there is no M.
  std::vector<double> applied(const std::vector<double>& r) const {
    return failed.M ? product_with(*failed.M, r) : std::vector<double>();
  }
  // Of an M set up now; empty: refused.
  std::vector<double> applied_anew(const std::vector<double>& r) const {
    try {
      return product_with(*fresh(), r);
    } catch (const Error&) {
      return {};
    }
  }
  // Of such an M; empty: refused, or it has no such factors.
  FactorObservation observed_anew() const {
    try {
      return fresh()->observe();
    } catch (const Error&) {
      return {};
    }
  }
  std::vector<double> random(unsigned seed) const { return random_vector(failed.A->size(), seed); }

 private:
  static constexpr double most_seconds = 20;  // of one trial, at the speed of the solve that failed
  static constexpr double most_entries = 5e7;

  // A numerical outcome is a result; a refusal (a pivot, a pair that cannot work) is an Error.
  template <class F>
  static Trial attempt(const F& solve) {
    try {
      return {true, solve()};
    } catch (const Error&) {
      return {};
    }
  }
  static std::vector<double> product_with(const Preconditioner<Space>& M, const std::vector<double>& r) {
    if (M.traits().is_method_alone) return {};
    const Array<double, Space> from(r);
    Array<double, Space> to(std::vector<double>(r.size(), 0.0));
    M.apply(from, to);
    return to.to_vector();
  }
  std::unique_ptr<Preconditioner<Space>> fresh() const {  // one like its own
    return fresh(settings().preconditioner, settings().preconditioner_options);
  }
  std::unique_ptr<Preconditioner<Space>> fresh(const std::string& type, const Table& options) const {
    auto M = make_preconditioner<Space>(type, options);
    M->setup(failed.prepared_from ? *failed.prepared_from : *failed.A);
    return M;
  }
  SolveResult solved(const std::string& method, const KrylovOptions& options, const Preconditioner<Space>& M) const {
    const Array<double, Space> rhs(b_);
    Array<double, Space> x(std::vector<double>(b_.size(), 0.0));
    return make_krylov<Space>(method, options)->solve(*failed.A, M, rhs, x);
  }
  std::vector<double> b_, x_;
  std::optional<BlockCsrData> rows_, transposed_;
  bool rows_known_ = false;
  std::optional<Diagnosis> diagnosis_;
  std::optional<Pivots> pivots_;
};

// The rules: a finding, or nothing.
template <class Space>
using Rule = std::optional<Finding> (*)(Examination<Space>&);
template <class Space>
std::vector<Rule<Space>> rules_of_numbers();
template <class Space>
std::vector<Rule<Space>> rules_of_methods();
template <class Space>
std::vector<Rule<Space>> rules_of_limits();

// The graph of A + A^T without its diagonal; T: A transposed.
Graph graph_of_pattern(const BlockCsrData& A, const BlockCsrData& T);

// Which piece each vertex belongs to, from 0: pieces have no edge between them.
std::vector<int> pieces_of(const Graph& graph);

// Rows and columns of scalar rows in a new order: row i of the result is row order[i].
BlockCsrData permuted(const BlockCsrData& scalar, const Order& order);

}  // namespace weir
