// The Jacobian on the host: a grid row at a time, each block column by column, so that every array of the matrix is
// written as one stream. Bytes: the 7 n^2 values of a cell once; the field stays in the caches between neighbours.
#include <cmath>

#include "miniapps/incompressible/coupled/equations.hpp"
#include "solvers/device/for_each.hpp"

namespace weir::detail {
namespace {

template <int N>
struct Block {
  double column[N][N];
};

template <int N>
[[gnu::always_inline]] inline void store(const Block<N>& b, double* out) {
#pragma GCC unroll 36
  for (int e = 0; e < N * N; ++e) out[e] = b.column[e / N][e % N];
}

// Both faces of direction D: their outer blocks are written, their inner ones gathered.
template <int D, int Dim, int N>
[[gnu::always_inline]] inline void faces(const CoupledView& w, const int (&at)[3], int c, double* lower, double* upper,
                                         Block<N>& own) {
  const double area = face_area<D>(w, at[0], at[1], at[2]);
  const CoupledFace<D, Dim, N> low(w, at[D], c, area), high(w, at[D] + 1, c + w.cells.stride(D), area);
  Block<N> below, above;
#pragma GCC unroll 6
  for (int v = 0; v < N; ++v)
#pragma GCC unroll 6
    for (int u = 0; u < N; ++u) {
      below.column[v][u] = -low.by_lower(u, v);
      above.column[v][u] = high.by_upper(u, v);
      own.column[v][u] += high.by_lower(u, v) - low.by_upper(u, v);
    }
  store(below, lower);
  store(above, upper);
}

template <int Dim, int N>
void assemble(const CoupledView& w, double s0, double inverse_cfl, const BlockStencilView& A) {
  const Extents box = w.cells.extents();
  double* blocks[slot::count] = {};
  for (int s = A.first; s < A.first + A.slots; ++s) blocks[s] = A.slot_blocks(s);
#pragma omp parallel for collapse(2) schedule(static) if (box.count() > parallel_grain / 8)
  for (int k = 0; k < box.nz; ++k)
    for (int j = 0; j < box.ny; ++j)
      for (int i = 0; i < box.nx; ++i) {
        const int at[3] = {i, j, k}, c = w.cells.at(i, j, k);
        const std::int64_t o = std::int64_t{box.index(i, j, k)} * (N * N);
        Block<N> own = {};
        faces<0, Dim, N>(w, at, c, blocks[slot::gamma] + o, blocks[slot::epsilon] + o, own);
        faces<1, Dim, N>(w, at, c, blocks[slot::beta] + o, blocks[slot::zeta] + o, own);
        if constexpr (Dim == 3) faces<2, Dim, N>(w, at, c, blocks[slot::alpha] + o, blocks[slot::eta] + o, own);
        const double V = cell_volume(w, i, j, k), pseudo = inverse_cfl * pseudo_rate<Dim, N>(w, w.x + c * N, at);
        own.column[0][0] += V * pseudo / w.speed;
        for (int u = 1; u < N; ++u) own.column[u][u] += V * (pseudo + s0);
        store(own, blocks[slot::delta] + o);
      }
}

}  // namespace

void assemble_rows_host(const CoupledView& v, double s0, double inverse_cfl, const BlockStencilView& A) {
  with_unknowns(v.cells, [&](auto dim, auto n) { assemble<dim.value, n.value>(v, s0, inverse_cfl, A); });
}

}  // namespace weir::detail
