#include "miniapps/immersed/forces.hpp"

#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"

namespace weir {
namespace {

constexpr double probe_spacing = force_reach / 3.0;  // of the points on a normal, in cells

// Nodes of a field along one direction: x[lowest .. highest], increasing.
struct Axis {
  const double* x = nullptr;
  int lowest = 0, highest = 0;
};

// Four successive nodes of an axis, and their weights in quadratics through three of them.
struct Weights {
  int first = 0;
  double w[4] = {1, 0, 0, 0};
};

// Adds `share` times the quadratic through the nodes first, first + 1, first + 2.
WEIR_HD inline void add_quadratic(const Axis& a, double v, int first, double share, Weights& to) {
  if (first < a.lowest) first = a.lowest;
  if (first > a.highest - 2) first = a.highest - 2;
  const double x0 = a.x[first], x1 = a.x[first + 1], x2 = a.x[first + 2];
  double* w = to.w + (first - to.first);
  w[0] += share * (v - x1) * (v - x2) / ((x0 - x1) * (x0 - x2));
  w[1] += share * (v - x0) * (v - x2) / ((x1 - x0) * (x1 - x2));
  w[2] += share * (v - x0) * (v - x1) / ((x2 - x0) * (x2 - x1));
}

// Weights of the quadratic through the three nodes nearest to v, which lies a few nodes from `near`. If v is in the
// middle hundredth between two nodes, the two quadratics are blended, so that a body with faces on grid lines has the
// same force as one that is shifted slightly.
WEIR_HD inline Weights quadratic(const Axis& a, double v, int near) {
  int low = near < a.lowest ? a.lowest : near > a.highest - 1 ? a.highest - 1 : near;
  while (low + 1 < a.highest && a.x[low + 1] <= v) ++low;
  while (low > a.lowest && a.x[low] > v) --low;
  Weights s;
  s.first = low - 1 > a.highest - 3 ? a.highest - 3 : low - 1;
  if (s.first < a.lowest) s.first = a.lowest;
  s.w[0] = 0;
  const double at = 0.5 + 100 * ((v - a.x[low]) / (a.x[low + 1] - a.x[low]) - 0.5);
  const double above = at < 0 ? 0 : at > 1 ? 1 : at;
  if (above > 0) add_quadratic(a, v, low, above, s);
  if (above < 1) add_quadratic(a, v, low - 1, 1 - above, s);
  return s;
}

// Velocities are stored at the faces of cells along their own direction and at centres in the others, ghosts included;
// the pressure at the centres of cells without ghosts.
struct SurfaceView {
  Axis face[3], centre[3], inner[3];
  const double *velocity[3], *pressure;  // of (0, 0, 0)
  Metrics m;
  double viscosity, omega[3];
  int dim, n[3], sy, sz;
};

// The weights at a point on all axes, which the components share.
struct Probe {
  Weights face[3], centre[3], inner[3];
  WEIR_HD Probe(const SurfaceView& v, const double (&x)[3], const int (&near)[3]) {
    for (int d = 0; d < v.dim; ++d) {
      face[d] = quadratic(v.face[d], x[d], near[d]);
      centre[d] = quadratic(v.centre[d], x[d], near[d]);
      const bool is_inner = centre[d].first >= v.inner[d].lowest && centre[d].first + 3 <= v.inner[d].highest;
      inner[d] = is_inner ? centre[d] : quadratic(v.inner[d], x[d], near[d]);
    }
  }
  WEIR_HD double velocity(const SurfaceView& v, int c) const {
    return sum(v, v.velocity[c], c == 0 ? face[0] : centre[0], c == 1 ? face[1] : centre[1],
               c == 2 ? face[2] : centre[2]);
  }
  WEIR_HD double pressure(const SurfaceView& v) const { return sum(v, v.pressure, inner[0], inner[1], inner[2]); }

 private:
  WEIR_HD static double sum(const SurfaceView& v, const double* f, const Weights& x, const Weights& y,
                            const Weights& z) {
    const double* row = f + x.first + y.first * v.sy + z.first * v.sz;
    double all = 0;
    for (int e = 0; e < (v.dim == 3 ? 4 : 1); ++e) {
      double plane = 0;
      for (int b = 0; b < 4; ++b) {
        const double* at = row + b * v.sy + e * v.sz;
        plane += y.w[b] * (x.w[0] * at[0] + x.w[1] * at[1] + x.w[2] * at[2] + x.w[3] * at[3]);
      }
      all += z.w[e] * plane;
    }
    return all;
  }
};

// The width along a normal of the cell that contains x; `cell` is set to it. Long cells along a wall keep the points
// close.
WEIR_HD inline double spacing(const SurfaceView& v, const Vec3& x, const Vec3& normal, int (&cell)[3]) {
  double h = 0;
  for (int d = 0; d < v.dim; ++d) {
    int low = 0, high = v.n[d];
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (v.m.line[d].face[middle] <= x[d] ? low : high) = middle;
    }
    h += normal[d] * v.m.line[d].h[low] * normal[d] * v.m.line[d].h[low];
    cell[d] = low;
  }
  return sqrt(h);
}

// The distance along the normal of a piece to the end of the grid.
WEIR_HD inline double room(const SurfaceView& v, const Piece& s) {
  double least = 1e300;
  for (int d = 0; d < v.dim; ++d) {
    const Axis& face = v.face[d];
    if (s.normal[d] == 0) continue;
    const double t = (face.x[s.normal[d] > 0 ? face.highest : face.lowest] - s.point[d]) / s.normal[d];
    if (t < least) least = t < 0 ? 0 : t;
  }
  return least;
}

// Pressure force and viscous force on one piece: from points at a, 2a, 3a on the normal, and the wall itself.
//   p(0) = 3 p1 - 3 p2 + p3,      du/dn(0) = (18 u1 - 9 u2 + 2 u3) / (6 a),   u relative to the wall
// The points of the pressure are closer together near a side of the box, so that none lies beyond it.
WEIR_HD inline void piece_force(const SurfaceView& v, const Piece& s, double (&out)[6]) {
  int cell[3] = {0, 0, 0};
  const double a = probe_spacing * spacing(v, s.point, s.normal, cell);
  double x[3][3], area = 0;
  for (int d = 0; d < 3; ++d) {
    for (int q = 0; q < 3; ++q) x[q][d] = s.point[d] + (q + 1) * a * s.normal[d];
    area += s.area[d] * s.area[d];
  }
  area = sqrt(area);
  const Probe at[3] = {{v, x[0], cell}, {v, x[1], cell}, {v, x[2], cell}};
  double p = 3 * at[0].pressure(v) - 3 * at[1].pressure(v) + at[2].pressure(v);
  const double nearer = room(v, s) / 3;
  if (nearer < a) {
    for (int d = 0; d < 3; ++d)
      for (int q = 0; q < 3; ++q) x[q][d] = s.point[d] + (q + 1) * nearer * s.normal[d];
    p = 3 * Probe(v, x[0], cell).pressure(v) - 3 * Probe(v, x[1], cell).pressure(v) + Probe(v, x[2], cell).pressure(v);
  }
  double slope[3] = {0, 0, 0}, normal_slope = 0;
  for (int d = 0; d < v.dim; ++d) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    const double turning = a * (v.omega[e] * s.normal[f] - v.omega[f] * s.normal[e]);
    double u[3];
    for (int q = 0; q < 3; ++q) u[q] = at[q].velocity(v, d) - s.velocity[d] - (q + 1) * turning;
    slope[d] = (18 * u[0] - 9 * u[1] + 2 * u[2]) / (6 * a);
    normal_slope += slope[d] * s.normal[d];
  }
  for (int d = 0; d < 3; ++d) {
    out[d] = -p * s.area[d];
    out[3 + d] = d < v.dim ? v.viscosity * area * (slope[d] - normal_slope * s.normal[d]) : 0;
  }
}

template <class Space>
SurfaceView surface_view(const Flow<Space>& flow, const Metrics& m, double viscosity, const Vec3& omega) {
  SurfaceView v{};
  const Layout& l = flow.layout;
  for (int d = 0; d < 3; ++d) {
    v.face[d] = {m.line[d].face, 0, l.n[d]};
    v.centre[d] = {m.line[d].centre, -1, l.n[d]};
    v.inner[d] = {m.line[d].centre, 0, l.n[d] - 1};
    if (d < l.dim) v.velocity[d] = flow.component(d).at(0, 0, 0);
    v.omega[d] = omega[d];
    v.n[d] = l.n[d];
  }
  v.pressure = flow.pressure().at(0, 0, 0);
  v.sy = l.stride(1);
  v.sz = l.stride(2);
  v.m = m;
  v.viscosity = viscosity;
  v.dim = l.dim;
  return v;
}

// Area, flux and value times area of one piece. v.pressure: the scalar.
//   fixed: dT/dn(0) as du/dn,      given slope g: T(0) = (18 T1 - 9 T2 + 2 T3 - 6 a g) / 11
WEIR_HD inline void piece_scalar(const SurfaceView& v, const Piece& s, const WallScalar& wall, double (&out)[3]) {
  int cell[3] = {0, 0, 0};
  const double a = probe_spacing * spacing(v, s.point, s.normal, cell);
  double T[3], area = 0;
  for (int q = 0; q < 3; ++q) {
    double x[3];
    for (int d = 0; d < 3; ++d) x[d] = s.point[d] + (q + 1) * a * s.normal[d];
    T[q] = Probe(v, x, cell).pressure(v);
  }
  for (int d = 0; d < 3; ++d) area += s.area[d] * s.area[d];
  area = sqrt(area);
  const double sum = 18 * T[0] - 9 * T[1] + 2 * T[2];
  const double slope = wall.is_fixed ? (sum - 11 * wall.value) / (6 * a) : wall.value;
  const double at_wall = wall.is_fixed ? wall.value : (sum - 6 * a * wall.value) / 11;
  out[0] = area;
  out[1] = -v.viscosity * slope * area;
  out[2] = at_wall * area;
}

}  // namespace

template <class Space>
SurfaceScalar surface_scalar(const Flow<Space>& flow, const ScalarOnBody& on, const Metrics& m,
                             const CutArrays<Space>& cut, const BodyPieces& of, GrowingArray<double, Space>& work) {
  SurfaceView v = surface_view(flow, m, on.diffusivity, {});
  v.pressure = flow.field(flow.scalars[on.scalar]).at(0, 0, 0);
  const WallScalar wall = on.wall;
  const int n = of.count;
  work.resize(3 * n);
  double* out = work.data();
  const Piece* pieces = cut.pieces() + of.first;
  for_each<Space>(n, [=] WEIR_HD(int q) {
    double sums[3];
    piece_scalar(v, pieces[q], wall, sums);
    for (int e = 0; e < 3; ++e) out[e * n + q] = sums[e];
  });
  const Pair both = sum2<Space>(n, [=] WEIR_HD(int q) { return Pair{out[q], out[n + q]}; });
  return {both.a, both.b, sum<Space>(n, [=] WEIR_HD(int q) { return out[2 * n + q]; })};
}

template <class Space>
Force surface_force(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut, double viscosity,
                    const BodyPieces& of, GrowingArray<double, Space>& work) {
  const SurfaceView v = surface_view(flow, m, viscosity, of.angular_velocity);
  const Layout& l = flow.layout;
  const int n = of.count;
  work.resize(6 * n);
  double* out = work.data();
  const Piece* pieces = cut.pieces() + of.first;
  for_each<Space>(n, [=] WEIR_HD(int q) {
    double f[6];
    piece_force(v, pieces[q], f);
    for (int e = 0; e < 6; ++e) out[e * n + q] = f[e];
  });
  Force force;
  for (int e = 0; e < l.dim; ++e) {
    const Pair both = sum2<Space>(n, [=] WEIR_HD(int q) { return Pair{out[e * n + q], out[(e + 3) * n + q]}; });
    force.pressure[e] = both.a;
    force.viscous[e] = both.b;
  }
  const Vec3 centre = of.centre;
  for (int e = l.dim == 2 ? 2 : 0; e < 3; ++e) {
    const int f = (e + 1) % 3, g = (e + 2) % 3;
    force.torque[e] = sum<Space>(n, [=] WEIR_HD(int q) {
      const double force_f = out[f * n + q] + out[(3 + f) * n + q], force_g = out[g * n + q] + out[(3 + g) * n + q];
      return (pieces[q].point[f] - centre[f]) * force_g - (pieces[q].point[g] - centre[g]) * force_f;
    });
  }
  return force;
}

#define WEIR_FORCES(S)                                                                                               \
  template Force surface_force<S>(const Flow<S>&, const Metrics&, const CutArrays<S>&, double, const BodyPieces&,    \
                                  GrowingArray<double, S>&);                                                         \
  template SurfaceScalar surface_scalar<S>(const Flow<S>&, const ScalarOnBody&, const Metrics&, const CutArrays<S>&, \
                                           const BodyPieces&, GrowingArray<double, S>&);
WEIR_FORCES(Host)
WEIR_FORCES(Device)
#undef WEIR_FORCES

}  // namespace weir
