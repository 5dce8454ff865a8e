// One sweep on the host: vectors over the block, compile-time sizes 1..8. Per block 8 or 4 n^2 + 4 bytes and 2 n^2
// flops, per row also start, order, b and x: about 1/4 flop per byte, so memory-bound.
#include <algorithm>

#include "solvers/matrix/algorithms/triangular.hpp"
#include "solvers/matrix/block/block_dense.hpp"
#include "solvers/matrix/block/prefetch.hpp"

namespace weir {
namespace {

template <class Block, class T>
void solve_rows(Block block, const TriangleView<T>& t, const T* scale, int from, int to, const double* b, double* x) {
  using Vector = typename Block::Vector;
  const std::int64_t n = block.size(), nn = n * n;
  for (int p = from; p < to; ++p) {
    const std::int64_t row = t.order[p] * n;
    const Vector right(block, b + row);
    Vector y = scale ? Vector(block) : right;
    if (scale) y.add_product(scale + p * nn, right);
    if constexpr (Block::fixed == 1) prefetch::fetch_scalars_ahead(t.value + t.start[p], t.start[p + 1] - t.start[p]);
    for (std::int64_t e = t.start[p]; e < t.start[p + 1]; ++e) {
      if constexpr (Block::fixed != 1) prefetch::fetch_ahead(t.value + e * nn, nn);
      y.subtract_product(t.value + e * nn, x + t.column[e] * n);
    }
    y.store(x + row);
  }
}

// Scalar rows for K systems at once: the chains of dependent rows of different systems overlap.
template <int K, class T>
void solve_scalar_rows(const TriangleView<T>& t, const T* scale, int from, int to, const OneOfMany* s) {
  for (int p = from; p < to; ++p) {
    const int row = t.order[p];
    double y[K];
    for (int k = 0; k < K; ++k) y[k] = scale ? static_cast<double>(scale[p]) * s[k].b[row] : s[k].b[row];
    prefetch::fetch_scalars_ahead(t.value + t.start[p], t.start[p + 1] - t.start[p]);
    for (std::int64_t e = t.start[p]; e < t.start[p + 1]; ++e) {
      const auto value = static_cast<double>(t.value[e]);
      const int column = t.column[e];
      for (int k = 0; k < K; ++k) y[k] -= value * s[k].x[column];
    }
    for (int k = 0; k < K; ++k) s[k].x[row] = y[k];
  }
}

template <class Block, class T>
void solve_chunk(Block block, const TriangleView<T>& t, const T* scale, int from, int to,
                 std::span<const OneOfMany> systems) {
  for (std::size_t k = 0; k < systems.size();) {
    if constexpr (Block::fixed == 1) {
      const std::size_t count = in_groups(systems.size() - k, [&](auto K) {
        if constexpr (K.value > 1) solve_scalar_rows<K.value>(t, scale, from, to, systems.data() + k);
      });
      k += count;
      if (count > 1) continue;
    } else {
      ++k;
    }
    const OneOfMany& one = systems[k - 1];
    solve_rows(block, t, scale, from, to, one.b, one.x);
  }
}

}  // namespace

template <class T>
void UnitTriangle<Host, T>::solve(const T* scale, std::span<const OneOfMany> systems) const {
  const TriangleView<T> t = this->view();
  const int chunk = systems.size() == 1 ? std::max(t.rows, 1) : rows_in_cache;
  lanes::with_block(t.block, [&](auto block) {
    plan_.run([&](int from, int to, int) {
      for (int lo = from; lo < to; lo += chunk)
        solve_chunk(block, t, scale, lo, lo + std::min(to - lo, chunk), systems);
    });
  });
}

template class UnitTriangle<Host, double>;
template class UnitTriangle<Host, float>;

}  // namespace weir
