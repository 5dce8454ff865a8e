#include "miniapps/study/observe_rows.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "mesh/ordering/colouring.hpp"
#include "mesh/ordering/levels.hpp"
#include "solvers/krylov/vector_ops.hpp"
#include "solvers/matrix/block_rows.hpp"
#include "solvers/preconditioner/ilu/async_ilu.hpp"
#include "solvers/preconditioner/storage.hpp"

namespace weir {
namespace {

std::vector<double> to_host(View<const double> x, Array<double, Host>*) {
  return std::vector<double>(x.data(), x.data() + x.size());
}
std::vector<double> to_host(View<const double> x, Array<double, Device>*) {
  Array<double, Device> copy(x.size());
  assign<Device>(x, copy);
  return copy.to_vector();
}

// The l2 norm of each block row's part.
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

double largest(const std::vector<double>& v) { return v.empty() ? -1 : *std::max_element(v.begin(), v.end()); }
double sum_of(const std::vector<double>& v) {
  double sum = 0;
  for (const double value : v) sum += value;
  return v.empty() ? -1 : sum;
}
double median(std::vector<double> v) {
  if (v.empty()) return -1;
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

Graph graph_of(const BlockCsrData& A) {
  Graph graph;
  for (int i = 0; i < A.rows(); ++i) {
    for (std::int64_t e = A.row_start[static_cast<std::size_t>(i)]; e < A.row_start[static_cast<std::size_t>(i) + 1];
         ++e)
      if (const int j = A.column[static_cast<std::size_t>(e)]; j != i) graph.neighbour.push_back(j);
    graph.start.push_back(static_cast<std::int64_t>(graph.neighbour.size()));
  }
  return graph;
}

}  // namespace

template <class Space>
RowStructure structure_of(const Matrix<Space>& A) {
  RowStructure s;
  Graph graph;
  try {
    graph = graph_of(block_rows(A));
  } catch (const Error&) {  // a matrix that knows no entries
    return s;
  }
  Order natural(static_cast<std::size_t>(graph.vertices()));
  for (std::size_t i = 0; i < natural.size(); ++i) natural[i] = static_cast<int>(i);
  const LevelSets sets = level_sets(graph, natural);
  s.level.assign(sets.level.begin(), sets.level.end());
  const Colouring colouring = colour_largest_first(graph);
  s.colour.assign(colouring.colour.begin(), colouring.colour.end());
  const auto* csr = dynamic_cast<const BlockSparse<Space>*>(&A);
  if (!csr || csr->lines().empty()) return s;
  s.line.assign(natural.size(), -1);
  for (std::size_t l = 0; l < csr->lines().size(); ++l)
    for (int i = 0; i < csr->lines()[l].count; ++i)
      s.line[static_cast<std::size_t>(csr->lines()[l].first + i)] = static_cast<double>(l);
  return s;
}

template <class Space>
void observe_preconditioner(const Matrix<Space>& A, const Preconditioner<Space>& M, View<const double> b,
                            View<const double> x, View<double> r, View<double> work, SolveObservation& seen) {
  const View<double> z(work.data(), x.size()), rest(work.data() + x.size(), x.size());
  A.residual(b, x, r);
  const double before = std::sqrt(dot<Space>(r, r));
  if (before > 0) {
    M.apply(r, z);
    A.residual(r, z, rest);
    const double after = std::sqrt(dot<Space>(rest, rest));
    seen.probe = std::isfinite(after) ? after / before : 1e300;
  }
  for (const StoredAs kind : storage_of_rows(M, A.rows())) {
    ++seen.rows_stored[static_cast<std::size_t>(kind)];
    seen.row_bits.push_back(bits_of(kind));
  }
  const auto* async = dynamic_cast<const AsyncIlu<Space>*>(&M);
  if (!async) return;
  AsyncObservation o = async->observe();
  seen.fixed_point = sum_of(o.fixed_point);
  seen.dominance_L = largest(o.dominance_L);
  seen.dominance_U = largest(o.dominance_U);
  seen.median_dominance_L = median(o.dominance_L);
  seen.median_dominance_U = median(o.dominance_U);
  if (!o.stale_reads.empty()) seen.stale_reads = sum_of(o.stale_reads) / static_cast<double>(o.stale_reads.size());
  seen.row_fixed_point = std::move(o.fixed_point);
  seen.row_dominance_L = std::move(o.dominance_L);
  seen.row_dominance_U = std::move(o.dominance_U);
  seen.row_stale_reads = std::move(o.stale_reads);
}

template <class Space>
void observe_residual(const Matrix<Space>& A, View<const double> b, View<const double> x, View<double> r,
                      SolveObservation& seen) {
  A.residual(b, x, r);
  seen.row_residual = row_norms(to_host(r, static_cast<Array<double, Space>*>(nullptr)), A.block());
  const auto most = std::max_element(seen.row_residual.begin(), seen.row_residual.end());
  seen.largest_residual = *most;
  seen.row_of_largest = static_cast<int>(most - seen.row_residual.begin());
}

template <class Space>
void observe_error(const Matrix<Space>& A, const Preconditioner<Space>& M, View<const double> b, View<const double> x,
                   View<double> z, SolveObservation& seen) {
  KrylovOptions to_round_off;
  to_round_off.tolerance = 1e-12;
  to_round_off.restart = 60;
  assign<Space>(x, z);
  make_krylov<Space>("fgmres", to_round_off)->solve(A, M, b, z);  // works with any preconditioner
  axpy<Space>(-1, x, z);
  seen.row_error = row_norms(to_host(z, static_cast<Array<double, Space>*>(nullptr)), A.block());
  seen.error = std::sqrt(dot<Space>(z, z));
}

template RowStructure structure_of(const Matrix<Host>&);
template RowStructure structure_of(const Matrix<Device>&);
template void observe_preconditioner(const Matrix<Host>&, const Preconditioner<Host>&, View<const double>,
                                     View<const double>, View<double>, View<double>, SolveObservation&);
template void observe_preconditioner(const Matrix<Device>&, const Preconditioner<Device>&, View<const double>,
                                     View<const double>, View<double>, View<double>, SolveObservation&);
template void observe_residual(const Matrix<Host>&, View<const double>, View<const double>, View<double>,
                               SolveObservation&);
template void observe_residual(const Matrix<Device>&, View<const double>, View<const double>, View<double>,
                               SolveObservation&);
template void observe_error(const Matrix<Host>&, const Preconditioner<Host>&, View<const double>, View<const double>,
                            View<double>, SolveObservation&);
template void observe_error(const Matrix<Device>&, const Preconditioner<Device>&, View<const double>,
                            View<const double>, View<double>, SolveObservation&);

}  // namespace weir
