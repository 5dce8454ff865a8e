#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "tests/benchmarks/peers/problems.hpp"

namespace weir::bench {
namespace {

using Index = std::size_t;

std::array<int, 7> offsets(const std::array<int, 3>& n) { return {0, -1, 1, -n[0], n[0], -n[0] * n[1], n[0] * n[1]}; }

}  // namespace

BlockCsrData to_csr(const SevenPoint& p) {
  constexpr int ascending[] = {5, 3, 1, 0, 2, 4, 6};
  const auto offset = offsets(p.cells);
  BlockCsrData A;
  A.symmetric = true;
  A.constant_null_space = p.singular;
  A.row_start = {0};
  for (Index c = 0; c < p.b.size(); ++c) {
    for (const int e : ascending)
      if (const double v = p.values[7 * c + Index(e)]; v != 0) {
        A.column.push_back(static_cast<int>(c) + offset[Index(e)]);
        A.value.push_back(v);
      }
    A.row_start.push_back(static_cast<std::int64_t>(A.column.size()));
  }
  return A;
}

double relative_residual(const SevenPoint& p, const std::vector<double>& x) {
  return relative_residual(to_csr(p), p.b, x);
}

double relative_residual(const BlockCsrData& A, const std::vector<double>& b, const std::vector<double>& x) {
  if (x.size() != b.size()) throw Error(Exit::internal, "a solution of another size");
  double rr = 0, bb = 0;
  const Index n = Index(A.block);
  std::vector<double> r(n);
  for (Index i = 0; i < Index(A.rows()); ++i) {
    std::copy_n(b.begin() + static_cast<std::ptrdiff_t>(i * n), n, r.begin());
    for (Index e = Index(A.row_start[i]); e < Index(A.row_start[i + 1]); ++e)
      for (Index u = 0; u < n; ++u)
        for (Index v = 0; v < n; ++v) r[u] -= A.value[(e * n + u) * n + v] * x[Index(A.column[e]) * n + v];
    for (Index u = 0; u < n; ++u) {
      rr += r[u] * r[u];
      bb += b[i * n + u] * b[i * n + u];
    }
  }
  return std::sqrt(rr / bb);
}

}  // namespace weir::bench
