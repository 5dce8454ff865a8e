// Neighbours of the cells of a grid row (j, k): the same for all cells except the first and last.
#pragma once
#include <algorithm>
#include <cstdint>

#include "solvers/matrix/block/block_lanes.hpp"
#include "solvers/matrix/block/block_stencil.hpp"

namespace weir {

struct StencilLinks {
  struct Link {
    const double* blocks;  // blocks of the slot from cell 0 on
    const double* back;    // blocks of the opposite slot: from the neighbour to the cell
    int step;              // offset of the neighbour
  };
  Link link[slot::count];
  int count = 0;

  const Link* begin() const { return link; }
  const Link* end() const { return link + count; }
};

// f(link) for each link. Count: number of links of cells inside the grid, 0: unknown. With a compile-time number each
// slot has its own load instructions, which separates the streams for hardware prefetchers: 0.6 of the time for n = 4
// and seven slots.
template <int Count, class F>
[[gnu::always_inline]] inline void for_links(const StencilLinks& links, const F& f) {
  if constexpr (Count == 0)
    for (const auto& link : links) f(link);
  else
    lanes::unroll<Count>([&](auto q) __attribute__((always_inline)) { f(links.link[q]); });
}

// Number of cells processed at once: one slot's blocks of all of them (about 1 kB of a stream) are read before the
// next slot's, with the sums in registers. 65^3, one core, relative to one cell at a time: n = 3 0.73 (product), n =
// 4 0.91 and 0.95 (sweep), n = 6 0.90 and 0.88; n = 8 would take 1.1 and 1.5. Four up to n = Largest, two up to n = 6.
template <int Largest, class Block>
constexpr int cells_at_once() {
  if (Block::fixed == 0 || Block::fixed > 6) return 1;
  return Block::fixed > Largest ? 2 : 4;
}

enum class Part { all, lower, upper };  // lower: neighbours of smaller index; without the diagonal

// The links of one cell. The neighbour along x that the sweep has just left comes last, so that the other products
// are in flight before its value is known. `all`: slots in order, diagonal included.
inline StencilLinks stencil_links(const BlockStencilView& A, int cell, Part part) {
  constexpr int in_order[] = {0, 1, 2, 3, 4, 5, 6};
  constexpr int upwards[] = {slot::alpha, slot::beta, slot::eta, slot::zeta, slot::epsilon, slot::gamma};
  constexpr int downwards[] = {slot::eta, slot::zeta, slot::alpha, slot::beta, slot::gamma, slot::epsilon};
  const int* order = part == Part::all ? in_order : part == Part::lower ? upwards : downwards;
  const int count = part == Part::all ? 7 : 6;
  StencilLinks links;
  for (const int* s = order; s != order + count; ++s) {
    if (*s < A.first || *s >= A.first + A.slots) continue;
    const int in_grid = A.neighbour(cell, *s);
    const bool is_beyond = in_grid < 0 && (*s == A.before || *s == A.after);
    const int to = is_beyond ? cell + A.step(*s) : in_grid;
    if ((to < 0 && !is_beyond) || (part == Part::lower && to >= cell) || (part == Part::upper && to <= cell)) continue;
    links.link[links.count++] = {A.slot_blocks(*s), A.slot_blocks(6 - *s), to - cell};
  }
  return links;
}

// Calls f(from, to, links) for ranges of cells i in [i0, i1) of row (j, k) with the same links; cells are global
// indices. Ascending, or descending for Part::upper.
template <class F>
void for_stretches(const BlockStencilView& A, int j, int k, int i0, int i1, Part part, const F& f) {
  const int row = A.cells.index(0, j, k), last = A.cells.nx - 1;
  const int middle = std::clamp(1, i0, i1);
  const int bounds[4] = {i0, middle, std::clamp(last, middle, i1), i1};
  for (int q = 0; q < 3; ++q) {
    const int p = part == Part::upper ? 2 - q : q;
    const int from = row + bounds[p], to = row + bounds[p + 1];
    if (from < to) f(from, to, stencil_links(A, from, part));
  }
}

}  // namespace weir
