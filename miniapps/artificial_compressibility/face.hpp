// Fluxes through a face and their derivatives with respect to the unknowns of the two cells next to it: the whole
// scheme in one place, for the residual and for its Jacobian, in both spaces.
//
//   volume flux       F = A U_f,  U_f by equation (1) of lines.hpp
//   continuity        U F                                                  (scaled by the artificial speed U: the units
//                                                                           of momentum, so that one norm serves all)
//   velocity e        F (e_L + e_R)/2 - A nu (e_R - e_L)/m + [e = d] A (wl p_L + (1 - wl) p_R)                      (3)
//   k, omega          F (upwind) - A gamma (k_R - k_L)/m
//
// The plain mean (e_L + e_R)/2 on any stretched grid makes advection skew-symmetric where the volume fluxes of a cell
// sum to zero (Verstappen & Veldman 2003, as momentum.hpp): it neither makes nor destroys kinetic energy.
//
// The derivatives are exact, except that D_f is replaced by its compact part (lines.hpp): a 7-point matrix holds only
// pressures of first neighbours. The neglected part is proportional to epsilon, so that sub-iterations contract by
// about epsilon.
//
// With a turbulence model, its unknowns follow the velocities; `eddy` contains nu_t of every padded cell (frozen within
// a sub-iteration), `diffusion` the factors of nu_t in the diffusivities. Its sources are terms of cells, which are
// added to the right-hand side after residual() and to the diagonal blocks after assemble_jacobian().
#pragma once
#include "miniapps/artificial_compressibility/lines.hpp"

namespace weir {

inline constexpr int max_coupled_unknowns = 6;

// Arguments of all kernels of the scheme.
struct CoupledView {
  CoupledCells cells;
  CoupledLine line[3];
  double* x = nullptr;           // starts at cell (0, 0, 0); its ghosts are set
  double viscosity = 0;          // nu
  double speed = 1;              // U
  const double* eddy = nullptr;  // nu_t from cell (0, 0, 0) on, padded like x, one value per cell; used if n > dim + 1
  double diffusion[2] = {1, 1};  // gamma = nu + diffusion nu_t of k, omega
};

// Face f of direction D, between the padded cells c - stride and c.
template <int D, int Dim, int N>
struct CoupledFace {
  const double *L, *R;    // the unknowns of the two cells
  double flux;            // F
  double area_l, area_r;  // A wl, A (1 - wl)
  double compact;         // A c_f / m
  double viscous;         // A nu / m
  double eddy = 0;        // A nu_t / m
  double speed;
  double diffusion[2] = {1, 1};

  WEIR_HD CoupledFace(const CoupledView& v, int f, int c, double area) : speed(v.speed) {
    const CoupledLine& line = v.line[D];
    const int s = v.cells.stride(D) * N;
    R = v.x + c * N;
    L = R - s;
    const double wl = line.wl[f], over_m = area * line.inv_m[f];
    area_l = area * wl;
    area_r = area - area_l;
    compact = area * line.compact[f];
    viscous = over_m * v.viscosity;
    flux = area_l * L[1 + D] + area_r * R[1 + D] -
           area * (line.e[0][f] * L[-s] + line.e[1][f] * L[0] + line.e[2][f] * R[0] + line.e[3][f] * R[s]);
    if constexpr (N > Dim + 1) {
      eddy = 0.5 * over_m * (v.eddy[c - v.cells.stride(D)] + v.eddy[c]);
      diffusion[0] = v.diffusion[0];
      diffusion[1] = v.diffusion[1];
    }
  }

  // The convective flux of equation u.
  WEIR_HD double carried(int u) const {
    if (u == 0) return speed;
    if (u > Dim) return flux > 0 ? L[u] : R[u];
    return 0.5 * (L[u] + R[u]);
  }
  WEIR_HD double diffusivity(int u) const {
    if constexpr (N == Dim + 1) return viscous;
    return viscous + (u > Dim ? (u == Dim + 1 ? diffusion[0] : diffusion[1]) * eddy : eddy);
  }

  // Equation u.
  WEIR_HD double through(int u) const {
    double sum = flux * carried(u);
    if (u > 0) sum -= diffusivity(u) * (R[u] - L[u]);
    if (u == 1 + D) sum += area_l * L[0] + area_r * R[0];
    return sum;
  }

  // d through(u) / d unknown v of the lower and of the upper cell.
  WEIR_HD double by_lower(int u, int v) const {
    double d = 0;
    if (v == 0) d = compact * carried(u);
    if (v == 0 && u == 1 + D) d += area_l;
    if (v == 1 + D) d = area_l * carried(u);
    if (u == v && u > 0) d += (u > Dim ? (flux > 0 ? flux : 0) : 0.5 * flux) + diffusivity(u);
    return d;
  }
  WEIR_HD double by_upper(int u, int v) const {
    double d = 0;
    if (v == 0) d = -compact * carried(u);
    if (v == 0 && u == 1 + D) d += area_r;
    if (v == 1 + D) d = area_r * carried(u);
    if (u == v && u > 0) d += (u > Dim ? (flux > 0 ? 0 : flux) : 0.5 * flux) - diffusivity(u);
    return d;
  }
};

// Area of the faces of direction D of a cell, and its volume.
template <int D>
WEIR_HD inline double face_area(const CoupledView& v, int i, int j, int k) {
  const double x = D == 0 ? 1 : v.line[0].h[i], y = D == 1 ? 1 : v.line[1].h[j], z = D == 2 ? 1 : v.line[2].h[k];
  return x * y * z;
}
WEIR_HD inline double cell_volume(const CoupledView& v, int i, int j, int k) {
  return v.line[0].h[i] * v.line[1].h[j] * v.line[2].h[k];
}

// Calls f(dim, n) with the two as compile-time constants.
template <class F>
void with_unknowns(const CoupledCells& cells, const F& f) {
  using std::integral_constant;
  if (cells.dim == 2 && cells.unknowns == 3) return f(integral_constant<int, 2>{}, integral_constant<int, 3>{});
  if (cells.dim == 2) return f(integral_constant<int, 2>{}, integral_constant<int, 5>{});
  if (cells.unknowns == 4) return f(integral_constant<int, 3>{}, integral_constant<int, 4>{});
  return f(integral_constant<int, 3>{}, integral_constant<int, 6>{});
}

}  // namespace weir
