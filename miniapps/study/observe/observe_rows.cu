#include "miniapps/study/observe/observe_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "mesh/graph/colouring.hpp"
#include "mesh/graph/graph_tools.hpp"
#include "mesh/graph/orderings.hpp"
#include "solvers/device/on_host.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/distributed/whole_system.hpp"
#include "solvers/matrix/block/block_rows.hpp"

namespace weir {
namespace {

// l2 norm of each block row.
std::vector<double> row_norms(const std::vector<double>& v, int block) {
  std::vector<double> norms(v.size() / static_cast<std::size_t>(block));
  for (std::size_t i = 0; i < norms.size(); ++i) {
    double square = 0;
    for (std::size_t u = 0; u < static_cast<std::size_t>(block); ++u) {
      const double value = v[i * static_cast<std::size_t>(block) + u];
      square += value * value;
    }
    norms[i] = std::sqrt(square);
  }
  return norms;
}

double largest(const std::vector<double>& v) { return v.empty() ? -1 : *std::ranges::max_element(v); }
Graph graph_of(const BlockCsrData& A) {
  Graph graph;
  for (int i = 0; i < A.rows(); ++i) {
    for (std::int64_t e = A.row_start[i]; e < A.row_start[static_cast<std::size_t>(i) + 1]; ++e)
      if (const int j = A.column[e]; j != i) graph.neighbour.push_back(j);
    graph.start.push_back(static_cast<std::int64_t>(graph.neighbour.size()));
  }
  return graph;
}

// Level and colour of the rows of one matrix.
template <class Space>
RowStructure structure_of_one(const Matrix<Space>& A) {
  RowStructure s;
  Graph graph;
  try {
    graph = graph_of(block_rows(A));
  } catch (const Error&) {  // matrix-free
    return s;
  }
  const LevelSets sets = level_sets(graph, natural_order(graph.vertices()));
  s.level.assign(sets.level.begin(), sets.level.end());
  const Colouring colouring = colour_largest_first(graph);
  s.colour.assign(colouring.colour.begin(), colouring.colour.end());
  return s;
}

// For each row the global number of the first row of its line; -1: on no line. Empty: the matrix has no lines.
template <class Space>
std::vector<double> first_of_lines(const Matrix<Space>& A, const RowsOfRanks& rows) {
  const auto* csr = dynamic_cast<const BlockSparse<Space>*>(&A);
  if (!csr || !rows.ranks().any(!csr->lines().empty())) return {};
  std::vector<double> first(static_cast<std::size_t>(A.rows()), -1);
  for (const RowRange& line : csr->lines())
    std::fill_n(first.begin() + line.first, line.count, static_cast<double>(rows.number(line.first)));
  return first;
}

// Numbers the lines 0, 1, 2, ... in the order of their first rows.
void number_lines(std::vector<double>& line) {
  std::vector<double> firsts = line;
  std::ranges::sort(firsts);
  firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
  const double none = firsts.empty() || firsts.front() >= 0 ? 0 : 1;
  for (double& l : line) l = static_cast<double>(std::ranges::lower_bound(firsts, l) - firsts.begin()) - none;
}

template <class Space>
const Matrix<Space>& own_part(const Matrix<Space>& A) {
  const auto* spread = dynamic_cast<const DistributedMatrix<Space>*>(&A);
  return spread ? spread->local() : A;
}

template <class Space>
double norm(const RowsOfRanks& rows, View<const double> v) {
  return std::sqrt(rows.ranks().sum(dot<Space>(v, v)));
}

}  // namespace

template <class Space>
RowStructure SolveObserver<Space>::structure(const Matrix<Space>& A, const RowsOfRanks& rows, bool by_rank) {
  const Matrix<Space>& own = own_part(A);
  RowStructure s;
  if (rows.alone() || by_rank) {
    s = structure_of_one(own);
    s.level = rows.whole(s.level);
    s.colour = rows.whole(s.colour);
  } else if (WholeSystem<Space>::has_entries(A)) {
    const auto whole = WholeSystem<Space>(rows.ranks(), rows.numbers(), A.block()).matrix(A);
    if (whole) s = structure_of_one(*whole);
  }
  s.line = rows.whole(first_of_lines(own, rows));
  number_lines(s.line);
  return s;
}

template <class Space>
void SolveObserver<Space>::preconditioner(View<const double> b, View<const double> x, View<double> r,
                                          View<double> work) const {
  const View<double> z(work.data(), x.size()), rest(work.data() + x.size(), x.size());
  A.residual(b, x, r);
  const double before = norm<Space>(rows, r);
  if (before > 0 && !M.traits().is_method_alone) {
    M.apply(r, z);
    A.residual(r, z, rest);
    const double after = norm<Space>(rows, rest);
    seen.probe = std::isfinite(after) ? after / before : 1e300;
  }
  std::array<double, storage_kinds> stored{};
  const StoredAs kind = M.traits().storage;
  stored[static_cast<std::size_t>(kind)] = A.rows();
  seen.row_bits.assign(static_cast<std::size_t>(A.rows()), bits_of(kind));
  rows.ranks().sum(stored);
  for (std::size_t k = 0; k < stored.size(); ++k) seen.rows_stored[k] = static_cast<int>(stored[k]);
  const FactorObservation& o = seen.factors = M.observe();
  if (o.fixed_point.empty()) return;
  seen.fixed_point = rows.sum(o.fixed_point);
  seen.dominance_L = rows.largest(largest(o.dominance_L));
  seen.dominance_U = rows.largest(largest(o.dominance_U));
  seen.median_dominance_L = rows.median(o.dominance_L);
  seen.median_dominance_U = rows.median(o.dominance_U);
  if (const double stale = rows.sum(o.stale_reads); stale >= 0)
    seen.stale_reads = stale / rows.ranks().sum(static_cast<double>(o.stale_reads.size()));
}

// If several rows have the largest residual, the first one in global order is reported.
template <class Space>
void SolveObserver<Space>::residual(View<const double> b, View<const double> x, View<double> r) const {
  A.residual(b, x, r);
  seen.row_residual = row_norms(on_host<Space>(r), A.block());
  const auto most = std::ranges::max_element(seen.row_residual);
  seen.largest_residual = rows.largest(*most);
  const double number = rows.number(static_cast<int>(most - seen.row_residual.begin()));
  constexpr double none = std::numeric_limits<double>::infinity();
  const double first = -rows.largest(*most == seen.largest_residual ? -number : -none);
  seen.row_of_largest = std::isfinite(first) ? static_cast<int>(first) : -1;
}

template <class Space>
void SolveObserver<Space>::error(View<const double> b, View<const double> x, View<double> z) const {
  if (M.traits().is_method_alone) return;
  KrylovOptions to_round_off;
  to_round_off.tolerance = 1e-12;
  to_round_off.restart = 60;
  assign<Space>(x, z);
  make_krylov<Space>("fgmres", to_round_off)->solve(A, M, b, z);  // allows any preconditioner
  axpy<Space>(-1, x, z);
  seen.row_error = row_norms(on_host<Space>(z), A.block());
  seen.error = norm<Space>(rows, z);
}

template struct SolveObserver<Host>;
template struct SolveObserver<Device>;

}  // namespace weir
