#include "miniapps/artificial_compressibility/equations.hpp"

#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"

namespace weir {
namespace {

template <int D, int Dim, int N>
WEIR_HD inline void add_faces(const CoupledView& v, const int (&at)[3], int c, double (&r)[N]) {
  const double area = face_area<D>(v, at[0], at[1], at[2]);
  const CoupledFace<D, Dim, N> low(v, at[D], c, area), high(v, at[D] + 1, c + v.cells.stride(D), area);
  for (int u = 0; u < N; ++u) r[u] += low.through(u) - high.through(u);
}

template <class Space, int Dim, int N>
void residual_of(const CoupledView& v, const TimeDerivative& time, const CellForce& force, double* b) {
  const Extents box = v.cells.extents();
  for_each<Space>(box, [=] WEIR_HD(int i, int j, int k) {
    const int at[3] = {i, j, k}, c = v.cells.at(i, j, k);
    double r[N] = {};
    add_faces<0, Dim, N>(v, at, c, r);
    add_faces<1, Dim, N>(v, at, c, r);
    if constexpr (Dim == 3) add_faces<2, Dim, N>(v, at, c, r);
    const double V = cell_volume(v, i, j, k);
    for (int u = 1; u <= Dim; ++u) r[u] += V * force.value[u - 1];
    if (time.s0 != 0)
      for (int u = 1; u < N; ++u)
        r[u] -= V * (time.s0 * v.x[c * N + u] + time.s1 * time.x1[c * N + u] + time.s2 * time.x2[c * N + u]);
    double* out = b + box.index(i, j, k) * N;
    for (int u = 0; u < N; ++u) out[u] = r[u];
  });
}

// Row u of the blocks of both faces of a direction, and their contribution to row u of the diagonal block.
template <int D, int Dim, int N>
WEIR_HD inline void face_rows(const CoupledView& w, const int (&at)[3], int c, int cell, int u,
                              const BlockStencilView& A, double (&own)[N]) {
  const double area = face_area<D>(w, at[0], at[1], at[2]);
  const CoupledFace<D, Dim, N> low(w, at[D], c, area), high(w, at[D] + 1, c + w.cells.stride(D), area);
  double *to_lower = A.block(cell, slot::gamma - D) + u, *to_upper = A.block(cell, slot::epsilon + D) + u;
  for (int v = 0; v < N; ++v) {
    to_lower[v * N] = -low.by_lower(u, v);
    to_upper[v * N] = high.by_upper(u, v);
    own[v] += high.by_lower(u, v) - low.by_upper(u, v);
  }
}

// One thread per row of the blocks of a cell: its faces are computed once per row, and a warp writes runs of N values.
template <int Dim, int N>
void assemble_rows(const CoupledView& w, double s0, double inverse_cfl, const BlockStencilView& A) {
  const Extents box = w.cells.extents();
  for_each<Device>(Extents{N * box.nx, box.ny, box.nz}, [=] WEIR_HD(int iu, int j, int k) {
    const int i = iu / N, u = iu % N;
    const int at[3] = {i, j, k}, c = w.cells.at(i, j, k), cell = box.index(i, j, k);
    double own[N] = {};
    face_rows<0, Dim, N>(w, at, c, cell, u, A, own);
    face_rows<1, Dim, N>(w, at, c, cell, u, A, own);
    if constexpr (Dim == 3) face_rows<2, Dim, N>(w, at, c, cell, u, A, own);
    const double pseudo = inverse_cfl * detail::pseudo_rate<Dim, N>(w, w.x + c * N, at);
    const double mass = cell_volume(w, i, j, k) * (u == 0 ? pseudo / w.speed : pseudo + s0);
    double* diagonal = A.block(cell, slot::delta) + u;
    for (int v = 0; v < N; ++v) diagonal[v * N] = u == v ? own[v] + mass : own[v];
  });
}

template <class Space>
Pair square_sums(const CoupledView& v, const double* b, int u) {
  const Extents box = v.cells.extents();
  const int N = v.cells.unknowns, other = u + 1 < N ? u + 1 : u;
  const double *rx = v.line[0].inv_h, *ry = v.line[1].inv_h, *rz = v.line[2].inv_h;
  return sum2<Space>(box.count(), [=] WEIR_HD(int q) {
    const int i = q % box.nx, jk = q / box.nx, j = jk % box.ny, k = jk / box.ny;
    const double inv_v = rx[i] * ry[j] * rz[k], s = b[q * N + u] * inv_v, t = b[q * N + other] * inv_v;
    return Pair{s * s, t * t};
  });
}

// The same for one unknown over all ranks, exact.
double exact_square_sum(const CoupledView& v, const Communicator& ranks, const double* b, int u) {
  const Extents box = v.cells.extents();
  const int N = v.cells.unknowns;
  const double *rx = v.line[0].inv_h, *ry = v.line[1].inv_h, *rz = v.line[2].inv_h;
  return ranks.sum(exact_sum(box.count(), [=](int q) {
    const int i = q % box.nx, jk = q / box.nx, j = jk % box.ny, k = jk / box.ny;
    const double s = b[q * N + u] * (rx[i] * ry[j] * rz[k]);
    return s * s;
  }));
}

}  // namespace

TimeDerivative time_derivative(double dt, double dt_before) {
  TimeDerivative t;
  const double r = dt_before > 0 ? dt / dt_before : 0;
  t.s0 = (1 + 2 * r) / (1 + r) / dt;
  t.s1 = -(1 + r) / dt;
  t.s2 = r * r / (1 + r) / dt;
  return t;
}

template <class Space>
void residual(const CoupledView& v, const TimeDerivative& time, const CellForce& force, View<double> b) {
  with_unknowns(v.cells, [&](auto dim, auto n) { residual_of<Space, dim.value, n.value>(v, time, force, b.data()); });
}

template <class Space>
void assemble_jacobian(const CoupledView& v, const TimeDerivative& time, const SideRules& rules, double inverse_cfl,
                       const BlockStencilView& A) {
  if constexpr (std::is_same_v<Space, Host>)
    detail::assemble_rows_host(v, time.s0, inverse_cfl, A);
  else
    with_unknowns(v.cells, [&](auto dim, auto n) { assemble_rows<dim.value, n.value>(v, time.s0, inverse_cfl, A); });
  fold_ghosts<Space>(rules, v.cells, A);
}

template <class Space>
void residual_norms(const CoupledView& v, const Communicator& ranks, View<const double> b,
                    double (&norms)[max_coupled_unknowns]) {
  const auto cells = static_cast<double>(v.cells.whole_count());
  double squares[max_coupled_unknowns] = {};  // an even number: in pairs
  if (std::is_same_v<Space, Host> && ranks.has_exact_sums()) {
    for (int u = 0; u < v.cells.unknowns; ++u) squares[u] = exact_square_sum(v, ranks, b.data(), u);
  } else {
    for (int u = 0; u < v.cells.unknowns; u += 2) {
      const Pair sums = square_sums<Space>(v, b.data(), u);
      squares[u] = sums.a;
      squares[u + 1] = sums.b;
    }
    ranks.sum(squares);
  }
  for (int u = 0; u < v.cells.unknowns; ++u) norms[u] = std::sqrt(squares[u] / cells);
  norms[0] /= v.speed;
}

template <class Space>
void add_update(const CoupledView& v, double factor, View<const double> dx) {
  const CoupledCells c = v.cells;
  const Extents box = c.extents();
  const int N = c.unknowns;
  double* x = v.x;
  const double* d = dx.data();
  for_each<Space>(Extents{N * box.nx, box.ny, box.nz}, [=] WEIR_HD(int iq, int j, int k) {
    x[c.at(0, j, k) * N + iq] += factor * d[box.index(0, j, k) * N + iq];
  });
}

#define WEIR_EQUATIONS(S)                                                                                 \
  template void residual<S>(const CoupledView&, const TimeDerivative&, const CellForce&, View<double>);   \
  template void assemble_jacobian<S>(const CoupledView&, const TimeDerivative&, const SideRules&, double, \
                                     const BlockStencilView&);                                            \
  template void residual_norms<S>(const CoupledView&, const Communicator&, View<const double>,            \
                                  double(&)[max_coupled_unknowns]);                                       \
  template void add_update<S>(const CoupledView&, double, View<const double>);
WEIR_EQUATIONS(Host)
WEIR_EQUATIONS(Device)
#undef WEIR_EQUATIONS

}  // namespace weir
