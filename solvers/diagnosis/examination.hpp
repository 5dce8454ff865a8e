// Data for the rules of failed solves: properties of the system, computed on demand and once, and trial solves.
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

// Pivots of ILU(0) of scalar rows without pivoting (for blocks they are the same, since elimination inside a block
// drops nothing). Ends at the first pivot that is missing, not finite, or zero to rounding.
struct Pivots {
  int bad_row = -1;        // -1: none
  double bad_value = 0;    // of that pivot
  double diagonal = 0;     // its original diagonal entry
  double least_ratio = 1;  // the smallest |pivot| / largest entry of its row, before the bad one
  int least_row = -1;
};
Pivots ilu0_pivots(BlockCsrData scalar);

// A solve with one change.
struct Trial {
  bool possible = false;  // false: refused
  SolveResult result;
  bool works() const { return possible && result.converged(); }
};
inline std::string outcome(const Trial& t) {
  return "converged in " + std::to_string(t.result.iterations) + " iterations";
}

template <class Space>
class Examination {
 public:
  explicit Examination(const FailedSolve<Space>& f) : failed(f), b_(on_host<Space>(f.b)), x_(on_host<Space>(f.x)) {
    if (b_.empty()) b_.assign(f.A->size(), 1.0);  // a matrix was refused before b existed
  }

  const FailedSolve<Space>& failed;
  const SolverSettings& settings() const { return failed.settings; }
  const SolveResult& result() const { return failed.result; }
  std::string row(int i) const { return failed.name_of_row ? failed.name_of_row(i) : "row " + std::to_string(i); }
  std::string key(const std::string& name) const {
    return settings().table.empty() ? name : settings().table + "." + name;
  }
  bool was_refused() const { return !failed.refusal.empty(); }

  // Properties. Rows are scalar; null if the matrix stores no entries.
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
        } catch (const Error&) {  // no stored entries
        }
      }
    }
    return rows_ ? &*rows_ : nullptr;
  }
  // Requires rows.
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
  // Rounding error of |b - A x| at the final x; 0: unknown, or the matrix was refused before there was an x.
  double attainable() {
    if (x_.empty() || !rows()) return 0;
    const double l2 = rounding_of_residual(*rows(), x_);
    return settings().krylov.norm == Norm::max ? l2 / std::sqrt(static_cast<double>(x_.size())) : l2;
  }
  // Whether the final residual is orthogonal to the range of A, as for a system without a solution. Requires rows.
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
  // Target of |b - A x|.
  double target() const {
    const KrylovOptions& o = settings().krylov;
    if (!o.relative) return o.tolerance;
    return o.tolerance * (o.reference == "initial" ? result().residual0 : size_of_b());
  }
  // |b| in the norm of the solve.
  double size_of_b() const {
    double sum = 0, most = 0;
    for (const double e : b_) {
      sum += e * e;
      most = std::max(most, std::abs(e));
    }
    return settings().krylov.norm == Norm::max ? most : std::sqrt(sum);
  }

  // Trials with A, from x = 0, in the space of the solve.
  Trial with(const std::string& method, const KrylovOptions& options, const Preconditioner<Space>& M) {
    return attempt([&] { return solved(method, options, M); });
  }
  // With the original preconditioner, or a new one.
  Trial with_own(const std::string& method, const KrylovOptions& options) {
    if (failed.M) return with(method, options, *failed.M);
    return attempt([&] { return solved(method, options, *fresh()); });
  }
  // With a new preconditioner and the original limits.
  Trial with_fresh(const std::string& method, const std::string& type, const Table& options) {
    return attempt([&] { return solved(method, settings().krylov, *fresh(type, options)); });
  }
  // Trials with scalar rows (a changed matrix or order) on the host.
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
  Trial of_rows(const BlockCsrData& rows, const std::vector<double>& b) {  // with the original solver
    const SolverSettings& s = settings();
    return of_rows(rows, b, s.method, s.krylov, s.preconditioner, s.preconditioner_options);
  }

  // The options with a higher limit, restricted to about `most_seconds` at the speed of the failed solve.
  KrylovOptions longer(double factor, int at_least) const {
    KrylovOptions o = settings().krylov;
    const double wanted = std::max(factor * o.max_iterations, static_cast<double>(at_least));
    const double an_iteration = result().solve_seconds / std::max(result().iterations, 1);
    const double affordable = an_iteration > 0 ? most_seconds / an_iteration : wanted;
    o.max_iterations = static_cast<int>(std::clamp(std::min(wanted, affordable), o.max_iterations + 1.0, 1e6));
    return o;
  }

  // M^-1 r for a random r; empty without M.
  std::vector<double> applied(const std::vector<double>& r) const {
    return failed.M ? product_with(*failed.M, r) : std::vector<double>();
  }
  // The same with M set up now; empty: refused.
  std::vector<double> applied_new(const std::vector<double>& r) const {
    try {
      return product_with(*fresh(), r);
    } catch (const Error&) {
      return {};
    }
  }
  // Factors of an M set up now; empty: refused, or no such factors.
  FactorObservation observed_new() const {
    try {
      return fresh()->observe();
    } catch (const Error&) {
      return {};
    }
  }
  std::vector<double> random(unsigned seed) const { return random_vector(failed.A->size(), seed); }

 private:
  static constexpr double most_seconds = 20;  // per trial, at the speed of the failed solve
  static constexpr double most_entries = 5e7;

  // A numerical failure is a result; a refusal (a pivot, an impossible combination) is an Error.
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
  std::unique_ptr<Preconditioner<Space>> fresh() const {  // of the same kind
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

// The rules: each returns a finding or nothing.
template <class Space>
using Rule = std::optional<Finding> (*)(Examination<Space>&);
template <class Space>
std::vector<Rule<Space>> rules_of_numbers();
template <class Space>
std::vector<Rule<Space>> rules_of_methods();
template <class Space>
std::vector<Rule<Space>> rules_of_limits();

// Graph of A + A^T without the diagonal; T: A transposed.
Graph graph_of_pattern(const BlockCsrData& A, const BlockCsrData& T);

// Connected component of each vertex, from 0.
std::vector<int> pieces_of(const Graph& graph);

// Permuted rows and columns: row i of the result is row order[i].
BlockCsrData permuted(const BlockCsrData& scalar, const Order& order);

}  // namespace weir
