#include "solvers/diagnosis/examination.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/at.hpp"
#include "base/error.hpp"
#include "mesh/graph/graph_tools.hpp"
#include "solvers/device/on_host.hpp"
#include "solvers/matrix/block/block_rows.hpp"
#include "solvers/matrix/block/cut_blocks.hpp"
#include "solvers/matrix/facts.hpp"

namespace weir {
namespace {

constexpr double most_seconds = 20;  // of one trial, at the speed of the solve that failed
constexpr double most_entries = 5e7;

double norm_of(const std::vector<double>& v, Norm norm) {
  double sum = 0, most = 0;
  for (const double e : v) {
    sum += e * e;
    most = std::max(most, std::abs(e));
  }
  return norm == Norm::max ? most : std::sqrt(sum);
}

// A numerical outcome is a result; a refusal (a pivot, a pair that cannot work) is an Error.
template <class F>
Trial attempt(const F& solve) {
  try {
    return {true, solve()};
  } catch (const Error&) {
    return {};
  }
}

template <class Space>
std::vector<double> product_with(const Preconditioner<Space>& M, const std::vector<double>& r) {
  const Array<double, Space> from(r);
  Array<double, Space> to(std::vector<double>(r.size(), 0.0));
  M.apply(from, to);
  return to.to_vector();
}

// Row i of L U in the pattern of A (Saad, Iterative Methods, algorithm 10.4). place: of each column in row i, else -1.
// Returns the size of the largest number that the pivot was made of.
double eliminate_row(BlockCsrData& A, int i, const std::vector<std::int64_t>& pivot, std::vector<std::int64_t>& place) {
  const auto from = A.row_start[i], to = A.row_start[i + 1];
  for (auto e = from; e < to; ++e) place[A.column[e]] = e;
  double largest = pivot[i] >= 0 ? std::abs(A.value[pivot[i]]) : 0;
  for (auto e = from; e < to && A.column[e] < i; ++e) {
    const int k = A.column[e];
    const double factor = A.value[e] / A.value[pivot[k]];
    A.value[e] = factor;
    for (auto u = pivot[k] + 1; u < A.row_start[k + 1]; ++u) {
      const auto here = place[A.column[u]];
      if (here < 0) continue;
      A.value[here] -= factor * A.value[u];
      if (here == pivot[i]) largest = std::max(largest, std::abs(factor * A.value[u]));
    }
  }
  for (auto e = from; e < to; ++e) place[A.column[e]] = -1;
  return largest;
}

}  // namespace

template <class Space>
Examination<Space>::Examination(const FailedSolve<Space>& f)
    : failed(f), b_(on_host<Space>(f.b)), x_(on_host<Space>(f.x)) {
  if (b_.empty()) b_.assign(static_cast<std::size_t>(f.A->size()), 1.0);  // a matrix was refused before there was any
}

template <class Space>
const BlockCsrData* Examination<Space>::rows() {
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

template <class Space>
const BlockCsrData& Examination<Space>::transposed_rows() {
  if (!transposed_) transposed_ = transposed(*rows());
  return *transposed_;
}

template <class Space>
const Diagnosis& Examination<Space>::diagnosis() {
  if (!diagnosis_) diagnosis_ = diagnose(*rows());
  return *diagnosis_;
}

template <class Space>
const Pivots& Examination<Space>::pivots() {
  if (!pivots_) pivots_ = ilu0_pivots(*rows());
  return *pivots_;
}

template <class Space>
double Examination<Space>::attainable() {
  if (!rows()) return 0;
  const double l2 = rounding_of_residual(*rows(), x_);
  return settings().krylov.norm == Norm::max ? l2 / std::sqrt(static_cast<double>(x_.size())) : l2;
}

template <class Space>
double Examination<Space>::size_of_b() const {
  return norm_of(b_, settings().krylov.norm);
}

template <class Space>
double Examination<Space>::target() const {
  const KrylovOptions& o = settings().krylov;
  if (!o.relative) return o.tolerance;
  return o.tolerance * (o.reference == "initial" ? result().residual0 : size_of_b());
}

template <class Space>
Trial Examination<Space>::with(const std::string& method, const KrylovOptions& options,
                               const Preconditioner<Space>& M) {
  return attempt([&] { return solved(method, options, M); });
}

template <class Space>
SolveResult Examination<Space>::solved(const std::string& method, const KrylovOptions& options,
                                       const Preconditioner<Space>& M) const {
  const Array<double, Space> rhs(b_);
  Array<double, Space> x(std::vector<double>(b_.size(), 0.0));
  return make_krylov<Space>(method, options)->solve(*failed.A, M, rhs, x);
}

template <class Space>
std::unique_ptr<Preconditioner<Space>> Examination<Space>::fresh(const std::string& type, const Table& options) const {
  auto M = make_preconditioner<Space>(type, options);
  M->setup(failed.prepared_from ? *failed.prepared_from : *failed.A);
  return M;
}

template <class Space>
Trial Examination<Space>::with_own(const std::string& method, const KrylovOptions& options) {
  if (failed.M) return with(method, options, *failed.M);
  return attempt(
      [&] { return solved(method, options, *fresh(settings().preconditioner, settings().preconditioner_options)); });
}

template <class Space>
Trial Examination<Space>::with_fresh(const std::string& method, const std::string& type, const Table& options) {
  return attempt([&] { return solved(method, settings().krylov, *fresh(type, options)); });
}

template <class Space>
Trial Examination<Space>::of_rows(const BlockCsrData& rows, const std::vector<double>& b, const std::string& method,
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

template <class Space>
KrylovOptions Examination<Space>::longer(double factor, int at_least) const {
  KrylovOptions o = settings().krylov;
  const double wanted = std::max(factor * o.max_iterations, static_cast<double>(at_least));
  const double an_iteration = result().solve_seconds / std::max(result().iterations, 1);
  const double affordable = an_iteration > 0 ? most_seconds / an_iteration : wanted;
  o.max_iterations = static_cast<int>(std::clamp(std::min(wanted, affordable), o.max_iterations + 1.0, 1e6));
  return o;
}

template <class Space>
std::vector<double> Examination<Space>::applied(const std::vector<double>& r) const {
  return failed.M ? product_with(*failed.M, r) : std::vector<double>();
}

template <class Space>
std::vector<double> Examination<Space>::applied_anew(const std::vector<double>& r) const {
  try {
    return product_with(*fresh(settings().preconditioner, settings().preconditioner_options), r);
  } catch (const Error&) {
    return {};
  }
}

template <class Space>
FactorObservation Examination<Space>::observed_anew() const {
  try {
    return fresh(settings().preconditioner, settings().preconditioner_options)->observe();
  } catch (const Error&) {
    return {};
  }
}

template class Examination<Host>;
template class Examination<Device>;

Graph graph_of_pattern(const BlockCsrData& A, const BlockCsrData& T) {
  Graph g;
  g.start.reserve(at(A.rows()) + 1);
  for (int i = 0; i < A.rows(); ++i) {
    std::set_union(A.column.begin() + A.row_start[i], A.column.begin() + A.row_start[i + 1],
                   T.column.begin() + T.row_start[i], T.column.begin() + T.row_start[i + 1],
                   std::back_inserter(g.neighbour));
    const auto from = g.neighbour.begin() + g.start.back();
    g.neighbour.erase(std::remove(from, g.neighbour.end(), i), g.neighbour.end());
    g.start.push_back(static_cast<std::int64_t>(g.neighbour.size()));
  }
  return g;
}

std::vector<int> pieces_of(const Graph& g) {
  std::vector<int> piece(at(g.vertices()), -1), stack;
  int count = 0;
  for (int root = 0; root < g.vertices(); ++root) {
    if (piece[root] >= 0) continue;
    piece[root] = count;
    stack.assign(1, root);
    while (!stack.empty()) {
      const int v = stack.back();
      stack.pop_back();
      for (auto e = g.start[v]; e < g.start[v + 1]; ++e)
        if (int& p = piece[g.neighbour[e]]; p < 0) {
          p = count;
          stack.push_back(g.neighbour[e]);
        }
    }
    ++count;
  }
  return piece;
}

BlockCsrData permuted(const BlockCsrData& A, const Order& order) {
  const Order position = inverse(order);
  BlockCsrData P;
  P.symmetric = A.symmetric;
  P.constant_null_space = A.constant_null_space;
  P.row_start.push_back(0);
  std::vector<std::pair<int, double>> row;
  for (const int i : order) {
    row.clear();
    for (auto e = A.row_start[i]; e < A.row_start[i + 1]; ++e) row.emplace_back(position[A.column[e]], A.value[e]);
    std::sort(row.begin(), row.end());
    for (const auto& [column, value] : row) {
      P.column.push_back(column);
      P.value.push_back(value);
    }
    P.row_start.push_back(static_cast<std::int64_t>(P.column.size()));
  }
  return P;
}

Pivots ilu0_pivots(BlockCsrData A) {
  constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
  Pivots found;
  const std::vector<double> largest = largest_in_rows(A);
  std::vector<std::int64_t> pivot(at(A.rows()), -1), place(at(A.rows()), -1);
  for (int i = 0; i < A.rows(); ++i)
    for (auto e = A.row_start[i]; e < A.row_start[i + 1]; ++e)
      if (A.column[e] == i) pivot[i] = e;
  for (int i = 0; i < A.rows(); ++i) {
    const auto d = pivot[i];
    const double before = d >= 0 ? A.value[d] : 0;
    const double made_of = eliminate_row(A, i, pivot, place);
    const double value = d >= 0 ? A.value[d] : 0;
    if (!(std::abs(value) > rounding * made_of) || !std::isfinite(value)) {
      found.bad_row = i;
      found.bad_value = value;
      found.diagonal = before;
      return found;
    }
    if (const double ratio = std::abs(value) / largest[i]; ratio < found.least_ratio) {
      found.least_ratio = ratio;
      found.least_row = i;
    }
  }
  return found;
}

}  // namespace weir
