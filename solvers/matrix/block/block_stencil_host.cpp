// r = b - A x (Luo et al. 2015, Alg. 7) and y = A x in one pass over the matrix, threads over grid rows, vectors over
// the block. Bytes: 7 n^2 values per cell once; x, b and r stay in cache between neighbours.
#include "solvers/matrix/block/block_stencil.hpp"

#include "solvers/device/reduce.hpp"
#include "solvers/matrix/block/block_lanes.hpp"
#include "solvers/matrix/stencil/stencil_links.hpp"

namespace weir {
namespace {

// The cells c .. c + Cells - 1.
template <Product form, int Links, int Cells, class Block>
[[gnu::always_inline]] inline void product_of_cells(Block block, std::int64_t c, const StencilLinks& links,
                                                    const double* b, const double* x, double* r, double& dot) {
  using Vector = typename Block::Vector;
  const std::int64_t n = block.size(), nn = n * n;
  auto y = lanes::generate<Cells>([&](auto q) __attribute__((always_inline)) {
    return form == Product::apply ? Vector(block) : Vector(block, b + (c + q) * n);
  });
  for_links<Links>(
      links, [&](const StencilLinks::Link& link) __attribute__((always_inline)) {
        lanes::unroll<Cells>([&](auto q) __attribute__((always_inline)) {
          y[q].subtract_product(link.blocks + (c + q) * nn, x + (c + q + link.step) * n);
        });
      });
  lanes::unroll<Cells>([&](auto q) __attribute__((always_inline)) {
    if constexpr (form == Product::apply) y[q].negate();
    if constexpr (form == Product::residual_dot) dot += y[q].dot();
    y[q].store(r + (c + q) * n);
  });
}

template <Product form, int Links, class Block>
double cells_product(Block block, int from, int to, const StencilLinks& links, const double* b, const double* x,
                     double* r) {
  constexpr int together = Links > 0 ? cells_at_once<5, Block>() : 1;
  double dot = 0;
  int c = from;
  for (; c + together <= to; c += together) product_of_cells<form, Links, together>(block, c, links, b, x, r, dot);
  for (; c < to; ++c) product_of_cells<form, Links, 1>(block, c, links, b, x, r, dot);
  return dot;
}

template <Product form, class Block>
double rows_product(Block block, const BlockStencilView& A, const double* b, const double* x, double* r) {
  constexpr int all_links = Block::fixed > 0 ? slot::count : 0;
  const int rows = A.cells.ny * A.cells.nz;
  const bool parallel = A.cells.count() * A.slots * A.block_entries() > parallel_grain;
  double* part = form == Product::residual_dot ? detail::reduction_scratch(rows) : nullptr;
#pragma omp parallel for schedule(static) if (parallel)
  for (int q = 0; q < rows; ++q) {
    double dot = 0;
    for_stretches(A, q % A.cells.ny, q / A.cells.ny, 0, A.cells.nx, Part::all,
                  [&](int from, int to, const StencilLinks& links) {
                    dot += links.count == all_links ? cells_product<form, all_links>(block, from, to, links, b, x, r)
                                                    : cells_product<form, 0>(block, from, to, links, b, x, r);
                  });
    if constexpr (form == Product::residual_dot) part[q] = dot;
  }
  return form == Product::residual_dot ? detail::tree_sum(part, rows) : 0;
}

}  // namespace

Pair host_product(const BlockStencilView& A, Product p, const double* b, const double* x, double* y) {
  return lanes::with_block(A.n, [&](auto block) {
    if (p == Product::apply) return Pair{rows_product<Product::apply>(block, A, b, x, y), 0};
    if (p == Product::residual) return Pair{rows_product<Product::residual>(block, A, b, x, y), 0};
    return Pair{rows_product<Product::residual_dot>(block, A, b, x, y), 0};
  });
}

}  // namespace weir
