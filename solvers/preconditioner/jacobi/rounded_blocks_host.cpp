// z = J r on the host: OpenMP over chunks of block rows, column by column; blocks up to 8 in registers.
#include <algorithm>
#include <cstdint>

#include "solvers/device/for_each.hpp"
#include "solvers/matrix/block/block_lanes.hpp"
#include "solvers/matrix/block/block_product.hpp"
#include "solvers/matrix/block/entry_sums.hpp"
#include "solvers/preconditioner/jacobi/rounded_blocks.hpp"

namespace weir {

// Found by Lanes through its argument. The bits, moved to where a float has them, mean the number times 2^-112: they are put into
// the upper halves of words and shifted down by three with their sign, of which one bit stays.
[[gnu::always_inline]] inline lanes::Quad load_quad(const Half* p) {
  typedef std::uint16_t Halves __attribute__((vector_size(8), aligned(2), may_alias));
  typedef std::int32_t Words __attribute__((vector_size(16)));
  typedef float Floats __attribute__((vector_size(16)));
  const Halves bits = *reinterpret_cast<const Halves*>(p);
  const auto upper = reinterpret_cast<Words>(__builtin_shufflevector(Halves{}, bits, 0, 4, 1, 5, 2, 6, 3, 7));
  const Floats f = reinterpret_cast<Floats>((upper >> 3) & ~0x70000000) * 0x1p112f;
  return lanes::Quad{f[0], f[1], f[2], f[3]};  // one conversion; __builtin_convertvector makes three of it
}
[[gnu::always_inline]] inline lanes::Pair load_pair(const Half* p) { return lanes::Pair{p[0], p[1]}; }

namespace block_jacobi {
namespace {

template <int N, class T>
[[gnu::always_inline]] inline void product(lanes::FixedBlock<N> block, const T* a, const double* r, double* z) {
  using Vector = typename lanes::FixedBlock<N>::Vector;
  Vector sum(block);
  sum.add_product(a, Vector(block, r));
  sum.store(z);
}
template <class T>
inline void product(lanes::RuntimeBlock block, const T* a, const double* r, double* z) {
  const int n = block.n;
  for (int u = 0; u < n; ++u) z[u] = 0;
  for (int c = 0; c < n; ++c) {
    const double x = r[c];
    const T* column = a + c * n;
#pragma omp simd
    for (int u = 0; u < n; ++u) z[u] += static_cast<double>(column[u]) * x;
  }
}

template <class Block>
void all_products(Block block, const RoundedBlocks& m, const double* r, double* z) {
  constexpr int chunk = 512;
  const std::int64_t n = m.block;
#pragma omp parallel for schedule(static) if (m.rows * n * n > parallel_grain)
  for (int lo = 0; lo < m.rows; lo += chunk)
    for (int i = lo; i < std::min(m.rows, lo + chunk); ++i)
      with_entries(m, i, [&](const auto* a) { product(block, a, r + i * n, z + i * n); });
}

}  // namespace

void apply(Host, const RoundedBlocks& m, View<const double> r, View<double> z) {
  lanes::with_block(m.block, [&](auto block) { all_products(block, m, r.data(), z.data()); });
}

namespace {

// z = D^-1 r on the host: OpenMP over chunks of block rows, blocks of compile-time size up to 8.
template <int B>
void apply_rows(const double* inverse, int n, const double* r, double* z, int lo, int hi) {
  for (int i = lo; i < hi; ++i) {
    if constexpr (B > 0) {
      lanes::EntrySums<B, lanes::EntryOrder::by_rows> sum;
      sum.add(inverse + std::int64_t{i} * B * B, r + std::int64_t{i} * B);
      sum.store(z + std::int64_t{i} * B);
    } else {
      double* zi = z + std::int64_t{i} * n;
      for (int c = 0; c < n; ++c) zi[c] = 0;
      block_host::add_product(n, inverse + std::int64_t{i} * n * n, r + std::int64_t{i} * n, zi);
    }
  }
}

}  // namespace

void apply(Host, View<const double> inverse, int n, View<const double> r, View<double> z) {
  const int rows = static_cast<int>(r.size()) / n;
  block_host::with_block(n, [&](auto B) {
    constexpr int chunk = 512;
#pragma omp parallel for schedule(static) if (std::int64_t{rows} * n * n > parallel_grain)
    for (int lo = 0; lo < rows; lo += chunk)
      apply_rows<B.value>(inverse.data(), n, r.data(), z.data(), lo, std::min(rows, lo + chunk));
    return 0;
  });
}

}  // namespace block_jacobi
}  // namespace weir
