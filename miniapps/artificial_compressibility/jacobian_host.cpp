// The Jacobian on the host: one grid row at a time, each block column by column in vector registers, so that every
// array of the matrix is written as one stream. Bytes: the 7 n^2 values of a cell once; the field stays in the caches
// between neighbours. The columns are those of CoupledFace::by_lower and by_upper: with c = carried, e_u the unit
// vectors,
//   by p                     -+ compact c + (area of the cell) e_d      (the upper cell has the upper sign)
//   by the normal velocity   (area of the cell) c + diagonal e_d
//   by any other unknown v   diagonal e_v,                              diagonal = share of the flux -+ diffusivity
// The off-diagonal entries of columns of the last kind are always 0: BlockStencil starts with zeros, and they are never
// written.
#include <array>

#include "miniapps/artificial_compressibility/equations.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/matrix/block/block_lanes.hpp"

namespace weir::detail {
namespace {

using lanes::Lanes;
using lanes::unroll;

// The diagonal block during its summation: its columns without the diagonal, and the diagonal.
template <int N>
struct Own {
  Lanes<N> column[N];
  double diagonal[N];
};

// c += x e_U, as a product with the unit vector, because extracting and inserting a lane costs more.
template <int U, int N>
[[gnu::always_inline]] inline void add_to(Lanes<N>& c, double x) {
  alignas(64) static constexpr auto unit = [] {
    std::array<double, N> e{};
    e[U] = 1;
    return e;
  }();
  c.add(unit.data(), x);
}

// CoupledFace::carried of all equations.
template <class Face, int Dim, int N>
[[gnu::always_inline]] inline Lanes<N> carried_by(const Face& f) {
  Lanes<N> c;
  c.clear();
  c.add(f.L, 0.5);
  c.add(f.R, 0.5);
  add_to<0>(c, f.speed - 0.5 * (f.L[0] + f.R[0]));
  unroll<N>([&](auto u) __attribute__((always_inline)) {
    if constexpr (u > Dim) add_to<u.value>(c, f.carried(u) - 0.5 * (f.L[u] + f.R[u]));
  });
  return c;
}

// One face: writes the block of the cell beyond it, and adds its derivative with respect to the cell itself to the sum.
template <int D, bool High, int Dim, int N>
[[gnu::always_inline]] inline void face(const CoupledView& w, const int (&at)[3], int c, double area, double* out,
                                        Own<N>& own) {
  using Face = CoupledFace<D, Dim, N>;
  const Face f(w, at[D] + High, High ? c + w.cells.stride(D) : c, area);
  const Lanes<N> q = carried_by<Face, Dim, N>(f);
  constexpr double sign = High ? 1 : -1;  // of what leaves the cell
  const double beyond = sign * (High ? f.area_r : f.area_l), here = sign * (High ? f.area_l : f.area_r);
  Lanes<N> by_p, by_normal;
  by_p.clear();
  by_p.add(q, -f.compact);
  add_to<1 + D>(by_p, beyond);
  own.column[0].add(q, f.compact);
  add_to<1 + D>(own.column[0], here);
  by_normal.clear();
  by_normal.add(q, beyond);
  own.column[1 + D].add(q, here);
  unroll<N>([&](auto v) __attribute__((always_inline)) {
    if constexpr (v > 0) {
      const double lower = v <= Dim ? 0.5 * f.flux : f.flux > 0 ? f.flux : 0, upper = f.flux - lower;
      const double k = f.diffusivity(v), diagonal = sign * (High ? upper - k : lower + k);
      own.diagonal[v] += sign * (High ? lower + k : upper - k);
      if constexpr (v == 1 + D)
        add_to<v.value>(by_normal, diagonal);
      else
        out[v * N + v] = diagonal;
    }
  });
  by_p.store(out);
  by_normal.store(out + (1 + D) * N);
}

template <int D, int Dim, int N>
[[gnu::always_inline]] inline void faces(const CoupledView& w, const int (&at)[3], int c, double* const* blocks,
                                         std::int64_t o, Own<N>& own) {
  const double area = face_area<D>(w, at[0], at[1], at[2]);
  face<D, false, Dim, N>(w, at, c, area, blocks[slot::gamma - D] + o, own);
  face<D, true, Dim, N>(w, at, c, area, blocks[slot::epsilon + D] + o, own);
}

template <int Dim, int N>
void assemble_row(const CoupledView& view, double s0, double inverse_cfl, double* const* slots, int j, int k) {
  const CoupledView w = view;  // a copy that no store can alias, so that it is not read again after a store
  double* blocks[slot::count];
  for (int s = 0; s < slot::count; ++s) blocks[s] = slots[s];
  const int row = w.cells.at(0, j, k), first = w.cells.extents().index(0, j, k);
  for (int i = 0; i < w.cells.n[0]; ++i) {
    const int at[3] = {i, j, k}, c = row + i;
    const std::int64_t o = std::int64_t{first + i} * (N * N);
    Own<N> own;
    unroll<N>([&](auto v) __attribute__((always_inline)) {
      own.column[v].clear();
      own.diagonal[v] = 0;
    });
    faces<0, Dim, N>(w, at, c, blocks, o, own);
    faces<1, Dim, N>(w, at, c, blocks, o, own);
    if constexpr (Dim == 3) faces<2, Dim, N>(w, at, c, blocks, o, own);
    const double V = cell_volume(w, i, j, k), pseudo = inverse_cfl * pseudo_rate<Dim, N>(w, w.x + c * N, at);
    add_to<0>(own.column[0], V * pseudo / w.speed);
    unroll<N>([&](auto v) __attribute__((always_inline)) {
      if constexpr (v > 0) add_to<v.value>(own.column[v], own.diagonal[v] + V * (pseudo + s0));
      own.column[v].store(blocks[slot::delta] + o + v * N);
    });
  }
}

template <int Dim, int N>
void assemble(const CoupledView& w, double s0, double inverse_cfl, const BlockStencilView& A) {
  const Extents box = w.cells.extents();
  double* blocks[slot::count] = {};
  for (int s = A.first; s < A.first + A.slots; ++s) blocks[s] = A.slot_blocks(s);
#pragma omp parallel for collapse(2) schedule(static) if (box.count() > parallel_grain / 8)
  for (int k = 0; k < box.nz; ++k)
    for (int j = 0; j < box.ny; ++j) assemble_row<Dim, N>(w, s0, inverse_cfl, blocks, j, k);
}

}  // namespace

void assemble_rows_host(const CoupledView& v, double s0, double inverse_cfl, const BlockStencilView& A) {
  with_unknowns(v.cells, [&](auto dim, auto n) { assemble<dim.value, n.value>(v, s0, inverse_cfl, A); });
}

}  // namespace weir::detail
