// Loops over a box whose threads take a few cells in z each: common values of cells (i, j, .) are computed once, and a
// block of threads covers a thicker part of the box, so that more reads of neighbours come from the cache of the SM.
//   by_columns<Space>(box, [&]<int Layers>() { ... });   chooses the number of cells
//   for_column<Layers>(column, nz, [&](int k) { ... }); the cells of a column, in a loop over parts(nz, Layers) columns
#pragma once
#include "solvers/device/for_each.hpp"

namespace weir {

WEIR_HD constexpr int parts(int n, int size) { return (n + size - 1) / size; }

// f(k) or f(k, s), k = Layers column + s: `Layers` of them, or up to n. There is no branch between them, so that loads
// of the next cell are issued before those of the first have arrived, unless f writes to memory that they may read.
template <int Layers, class F>
WEIR_HD inline void for_column(int column, int n, const F& f) {
  const int first = Layers * column;
  const auto cell = [&](int s) {
    if constexpr (std::is_invocable_v<const F&, int, int>)
      f(first + s, s);
    else
      f(first + s);
  };
  if (first + Layers <= n) {
    for (int s = 0; s < Layers; ++s) cell(s);
  } else {
    for (int s = 0; s < Layers; ++s)
      if (first + s < n) cell(s);
  }
}

// The columns of a box in tiles of at most 32 x 8, one after the other: the order of a reduction, which knows one
// index, and whose blocks of threads are to take neighbours in y as well.
struct TileOrder {
  Extents columns;
  int x = 1, y = 1, across, up;  // of a tile; tiles

  explicit TileOrder(const Extents& e) : columns(e) {
    while (x < 32 && x < e.nx) x *= 2;
    while (y < 8 && y < e.ny) y *= 2;
    across = parts(e.nx, x), up = parts(e.ny, y);
  }
  std::int64_t count() const { return std::int64_t{1} * across * x * up * y * columns.nz; }
  WEIR_HD bool find(int index, int& i, int& j, int& column) const {  // false: beyond the box
    const int tile = index / (x * y), inside = index % (x * y), row = tile / across;
    i = tile % across * x + inside % x;
    j = row % up * y + inside / x;
    column = row / up;
    return i < columns.nx && j < columns.ny;
  }
};

// f.operator()<Layers>(). Layers = 4 on Device for at least 2^18 cells, whose columns are enough threads to fill it;
// otherwise 1, also on Host, which vectorises in x. With columns of 8 a third of an H100's warps is resident, because
// of their registers, and memory is read at half its rate.
template <class Space, class F>
auto by_columns(const Extents& e, const F& f) {
  if constexpr (std::is_same_v<Space, Device>) {
    if (e.count() >= 1 << 18) return f.template operator()<4>();
  }
  return f.template operator()<1>();
}

}  // namespace weir
