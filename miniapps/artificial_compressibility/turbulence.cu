#include "miniapps/artificial_compressibility/turbulence.hpp"

#include <cmath>

#include "physics/k_omega.hpp"
#include "solvers/device/for_each.hpp"

namespace weir::k_omega {
namespace {

// 2 S_ij S_ij of a cell, face values by linear interpolation (on a wall: the wall's velocity).
template <int Dim>
WEIR_HD inline double squared_strain(const CoupledView& v, const int (&at)[3], int c) {
  constexpr int N = Dim + 3;
  double gradient[Dim][Dim];  // component, direction
  for (int d = 0; d < Dim; ++d) {
    const CoupledLine& line = v.line[d];
    const int s = v.cells.stride(d) * N, f = at[d];
    const double *x = v.x + c * N, low = line.wl[f], high = line.wl[f + 1], inv_h = line.inv_h[f];
    for (int e = 0; e < Dim; ++e) {
      const double *u = x + 1 + e, above = high * u[0] + (1 - high) * u[s], below = low * u[-s] + (1 - low) * u[0];
      gradient[e][d] = (above - below) * inv_h;
    }
  }
  double sum = 0;
  for (int e = 0; e < Dim; ++e)
    for (int d = 0; d < Dim; ++d) {
      const double twice = gradient[e][d] + gradient[d][e];
      sum += 0.5 * twice * twice;
    }
  return sum;
}

// omega by formula (4) in cells in the viscous sublayer of a wall, otherwise 0. In the first few cells the discrete
// 1/y^2 has a relative error that does not depend on their size, so that prescribing only the first cell would make the
// flow first order; Wilcox (1988) prescribes y+ < 2.5. u_tau^2 is nu |S| next to a wall and sqrt(beta*) k in the log
// layer. The larger of the two is used, because one of them may vanish, as the strain does on the axis of a channel.
template <int Dim>
WEIR_HD inline double sublayer_omega(const CoupledView& v, const SideWalls& walls, const int (&at)[3], double k,
                                     double S2) {
  constexpr double sublayer = 2.5;
  double y = 0;
  bool beside = false;
  for (int d = 0; d < Dim; ++d)
    for (int end = 0; end < 2; ++end) {
      if (!walls.wall[2 * d + end]) continue;
      const CoupledLine& line = v.line[d];
      const int edge = end ? v.cells.last_of_all(d) : v.cells.first_of_all(d), i = at[d];
      const double from_edge = end ? line.centre[edge] - line.centre[i] : line.centre[i] - line.centre[edge];
      const double distance = from_edge + 0.5 * line.h[edge];
      if (y == 0 || distance < y) y = distance;
      beside = beside || i == edge;
    }
  if (y == 0) return 0;
  const double by_strain = v.viscosity * std::sqrt(S2), by_k = std::sqrt(beta_star) * k;
  const double y_plus = y * std::sqrt(by_strain > by_k ? by_strain : by_k) / v.viscosity;
  return beside || y_plus < sublayer ? omega_near_wall(v.viscosity, y) : 0;
}

// Coefficient of omega in the row of a sublayer cell, so that the row has the size of its neighbours.
WEIR_HD inline double wall_weight(double volume, double omega) { return 2 * beta * omega * volume; }

template <class Space, int Dim>
void add_sources_of(const CoupledView& v, const SideWalls& walls, double* b) {
  constexpr int N = Dim + 3;
  const Extents box = v.cells.extents();
  for_each<Space>(box, [=] WEIR_HD(int i, int j, int k) {
    const int at[3] = {i, j, k}, c = v.cells.at(i, j, k);
    const double *x = v.x + c * N, V = cell_volume(v, i, j, k), S2 = squared_strain<Dim>(v, at, c),
                 wall = sublayer_omega<Dim>(v, walls, at, x[Dim + 1], S2);
    const Sources s = sources(x[Dim + 1], x[Dim + 2], S2);
    double* out = b + box.index(i, j, k) * N;
    out[Dim + 1] += V * s.k;
    if (wall > 0) {
      out[Dim + 2] = wall_weight(V, wall) * (wall - x[Dim + 2]);
    } else {
      out[Dim + 2] += V * s.omega;
    }
  });
}

template <class Space, int Dim>
void add_jacobian_of(const CoupledView& v, const SideWalls& walls, const BlockStencilView& A) {
  constexpr int N = Dim + 3;
  const Extents box = v.cells.extents();
  for_each<Space>(box, [=] WEIR_HD(int i, int j, int k) {
    const int at[3] = {i, j, k}, c = v.cells.at(i, j, k), cell = box.index(i, j, k);
    const double *x = v.x + c * N, V = cell_volume(v, i, j, k),
                 wall = sublayer_omega<Dim>(v, walls, at, x[Dim + 1], squared_strain<Dim>(v, at, c));
    const SourceJacobian s = destruction_jacobian(x[Dim + 1], x[Dim + 2]);
    A.entry(cell, slot::delta, Dim + 1, Dim + 1) += V * s.k_by_k;
    A.entry(cell, slot::delta, Dim + 1, Dim + 2) += V * s.k_by_omega;
    if (wall > 0) {
      for (int t = A.first; t < A.first + A.slots; ++t)
        for (int q = 0; q < N; ++q) A.entry(cell, t, Dim + 2, q) = 0;
      A.entry(cell, slot::delta, Dim + 2, Dim + 2) = wall_weight(V, wall);
    } else {
      A.entry(cell, slot::delta, Dim + 2, Dim + 2) += V * s.omega_by_omega;
    }
  });
}

}  // namespace

template <class Space>
void update_eddy_viscosity(const CoupledView& v, double* eddy) {
  const CoupledCells c = v.cells;
  const int N = c.unknowns, first = -c.origin();
  const double* x = v.x;
  for_each<Space>(c.padded_count(), [=] WEIR_HD(int q) {
    const double *cell = x + std::int64_t{q + first} * N, k = cell[N - 2], omega = cell[N - 1];
    eddy[q + first] = omega > 0 ? eddy_viscosity(k, omega) : 0;  // corners of the ghosts are not set
  });
}

template <class Space>
void add_sources(const CoupledView& v, const SideWalls& walls, View<double> b) {
  v.cells.dim == 2 ? add_sources_of<Space, 2>(v, walls, b.data()) : add_sources_of<Space, 3>(v, walls, b.data());
}

template <class Space>
void add_source_jacobian(const CoupledView& v, const SideWalls& walls, const BlockStencilView& A) {
  v.cells.dim == 2 ? add_jacobian_of<Space, 2>(v, walls, A) : add_jacobian_of<Space, 3>(v, walls, A);
}

template <class Space>
void balance_rows(const CoupledView& v, double rate, View<double> b) {
  const Extents box = v.cells.extents();
  const CoupledCells c = v.cells;
  const int N = c.unknowns;
  const double* x = v.x;
  double* out = b.data();
  for_each<Space>(box, [=] WEIR_HD(int i, int j, int k) {
    out[std::int64_t{box.index(i, j, k)} * N + N - 1] *= rate / x[std::int64_t{c.at(i, j, k)} * N + N - 1];
  });
}

template <class Space>
void balance_rows(const CoupledView& v, double rate, const BlockStencilView& A) {
  const Extents box = v.cells.extents();
  const CoupledCells c = v.cells;
  const int N = c.unknowns;
  const double* x = v.x;
  for_each<Space>(box, [=] WEIR_HD(int i, int j, int k) {
    const int cell = box.index(i, j, k);
    const double factor = rate / x[std::int64_t{c.at(i, j, k)} * N + N - 1];
    for (int t = A.first; t < A.first + A.slots; ++t)
      for (int q = 0; q < N; ++q) A.entry(cell, t, N - 1, q) *= factor;
  });
}

template <class Space>
void limit_update(const CoupledView& v, double factor, View<double> dx) {
  const CoupledCells c = v.cells;
  const Extents box = c.extents();
  const int N = c.unknowns;
  const double* x = v.x;
  double* d = dx.data();
  for_each<Space>(box, [=] WEIR_HD(int i, int j, int k) {
    for (int q = N - 2; q < N; ++q) {
      double& change = d[std::int64_t{box.index(i, j, k)} * N + q];
      const double least = -0.9 * x[std::int64_t{c.at(i, j, k)} * N + q] / factor;
      if (change < least) change = least;
    }
  });
}

#define WEIR_TURBULENCE(S)                                                                             \
  template void update_eddy_viscosity<S>(const CoupledView&, double*);                                 \
  template void add_sources<S>(const CoupledView&, const SideWalls&, View<double>);                    \
  template void add_source_jacobian<S>(const CoupledView&, const SideWalls&, const BlockStencilView&); \
  template void balance_rows<S>(const CoupledView&, double, View<double>);                             \
  template void balance_rows<S>(const CoupledView&, double, const BlockStencilView&);                  \
  template void limit_update<S>(const CoupledView&, double, View<double>);
WEIR_TURBULENCE(Host)
WEIR_TURBULENCE(Device)
#undef WEIR_TURBULENCE

}  // namespace weir::k_omega
