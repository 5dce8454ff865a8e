#include "miniapps/immersed/forces.hpp"

#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {
namespace {

constexpr double probe_spacing = force_reach / 3.0;  // of the points on a normal, in cells

// Nodes of a field along one direction: x[lowest .. highest], increasing.
struct Axis {
  const double* x = nullptr;
  int lowest = 0, highest = 0;
};

// Four nodes of an axis in a row, and what quadratics through three of them take of each.
struct Weights {
  int first = 0;
  double w[4] = {1, 0, 0, 0};
};

// `share` of the quadratic through the nodes first, first + 1, first + 2.
WEIR_HD inline void add_quadratic(const Axis& a, double v, int first, double share, Weights& to) {
  if (first < a.lowest) first = a.lowest;
  if (first > a.highest - 2) first = a.highest - 2;
  const double x0 = a.x[first], x1 = a.x[first + 1], x2 = a.x[first + 2];
  double* w = to.w + (first - to.first);
  w[0] += share * (v - x1) * (v - x2) / ((x0 - x1) * (x0 - x2));
  w[1] += share * (v - x0) * (v - x2) / ((x1 - x0) * (x1 - x2));
  w[2] += share * (v - x0) * (v - x1) / ((x2 - x0) * (x2 - x1));
}

// Of the three nodes nearest to v, which lies a few nodes from `near`. Where two are equally near, in the middle
// hundredth between two nodes, both quadratics are blended: a body whose faces lie on grid lines has the force of one a
// hair next to them.
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

// Fields hold velocities at the faces of cells along their own direction, else at centres, ghosts included; the
// pressure at the centres of the cells alone.
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

// The width along a normal of the cell that x lies in, which `cell` becomes: long cells along a wall keep the points close.
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

// The pressure's and the viscous force of one piece: points at a, 2a, 3a on the normal, and the wall itself.
//   p(0) = 3 p1 - 3 p2 + p3,      du/dn(0) = (18 u1 - 9 u2 + 2 u3) / (6 a),   u relative to the wall
// The points of the pressure move closer where a side of the box is near: none lies beyond it.
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
SurfaceView surface_view(const Flow<Space>& flow, const Metrics& m, double viscosity, const double (&omega)[3]) {
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

// Momentum flux out of a box of control volumes of component c through one plane normal to t, per unit of time, along
// t.
struct PlaneView {
  const double *u, *across, *p;  // of (0, 0, 0)
  MetricLine own, line;          // along c, t
  int c, t, stride[3];
  double viscosity;
};

// At the node (i, j, k): own direction: the plane is the centre of the cell below it; else its low face.
WEIR_HD inline double plane_flux(const PlaneView& v, const int (&at)[3], bool with_pressure) {
  const int q = at[0] + at[1] * v.stride[1] + at[2] * v.stride[2], s = v.stride[v.c], st = v.stride[v.t];
  if (v.t == v.c) {  // cell at[c]: between the faces at[c] and at[c] + 1
    const double mean = 0.5 * (v.u[q] + v.u[q + s]);
    const double flux = mean * mean - v.viscosity * (v.u[q + s] - v.u[q]) * v.own.inv_h[at[v.c]];
    return flux + (with_pressure ? v.p[q] : 0.0);
  }
  const double h_low = v.own.h[at[v.c] - 1], h_high = v.own.h[at[v.c]];
  const double volume_flux = 0.5 * (v.across[q - s] * h_low + v.across[q] * h_high);
  return volume_flux * 0.5 * (v.u[q] + v.u[q - st]) -
         v.viscosity * v.own.m[at[v.c]] * (v.u[q] - v.u[q - st]) * v.line.inv_m[at[v.t]];
}

// The part of a rank of the nodes first .. last - 1 of the whole grid along d, in its own numbers.
struct Span {
  int first, last;
  int size() const { return last > first ? last - first : 0; }
};
Span own_part(const Layout& l, int d, int first, int last) {
  const int begin = l.low[d], end = l.low[d] + l.n[d];
  return {(first > begin ? first : begin) - begin, (last < end ? last : end) - begin};
}

// This rank's share.
template <class Space>
double flux_through(const Flow<Space>& flow, const Metrics& m, const CellBox& box, double viscosity, int c, int t,
                    int plane, bool with_pressure) {
  const Layout& l = flow.layout;
  const int t1 = t == 0 ? 1 : 0, t2 = t == 2 ? 1 : 2, at = plane - l.low[t];
  const Span s1 = own_part(l, t1, box.low[t1] + (t1 == c), box.high[t1]),
             s2 = own_part(l, t2, box.low[t2] + (t2 == c), box.high[t2]);
  if (at < 0 || at >= l.n[t] || s1.size() * s2.size() == 0) return 0;
  PlaneView v{};
  v.u = flow.component(c).at(0, 0, 0);
  v.across = flow.component(t).at(0, 0, 0);
  v.p = flow.pressure().at(0, 0, 0);
  v.own = m.line[c];
  v.line = m.line[t];
  v.c = c;
  v.t = t;
  v.viscosity = viscosity;
  for (int d = 0; d < 3; ++d) v.stride[d] = l.stride(d);
  const int low1 = s1.first, low2 = s2.first, n1 = s1.size();
  const MetricLine line1 = m.line[t1], line2 = m.line[t2];
  return sum<Space>(n1 * s2.size(), [=] WEIR_HD(int q) {
    int node[3];
    node[t] = at;
    node[t1] = low1 + q % n1;
    node[t2] = low2 + q / n1;
    // Own direction's width is part of plane_flux where the plane lies along it.
    const double w1 = t1 == v.c ? 1.0 : line1.h[node[t1]], w2 = t2 == v.c ? 1.0 : line2.h[node[t2]];
    return w1 * w2 * plane_flux(v, node, with_pressure);
  });
}

}  // namespace

WallMotion wall_motion(const Body& body, const Grid& grid, const CellBox& box) {
  WallMotion w;
  const Placement& motion = body.placement();
  const Vec3 at_origin = motion.velocity_at({0, 0, 0});
  for (std::size_t d = 0; d < 3; ++d) {
    Vec3 unit{};
    unit[d] = 1;
    const Vec3 there = motion.velocity_at(unit);
    w.velocity[d] = at_origin[d];
    for (std::size_t c = 0; c < 3; ++c) w.slope[c][d] = there[c] - at_origin[c];
  }
  w.outside = body.is_cavity() ? 0 : 1;
  double volume = body.is_cavity() ? -body.volume() : body.volume();
  if (body.surface().dimension == 2)  // across z
    volume *= grid.line[2].faces[box.high[2]] - grid.line[2].faces[box.low[2]];
  const Vec3 mean = motion.velocity_at(centroid(body.surface()));
  for (std::size_t d = 0; d < 3; ++d) w.solid[d] = volume * mean[d];
  return w;
}

template <class Space>
SurfaceScalar surface_scalar(const Flow<Space>& flow, std::size_t scalar, const Metrics& m, const CutArrays<Space>& cut,
                             double diffusivity, const WallScalar& wall, GrowingArray<double, Space>& work) {
  const double still[3] = {0, 0, 0};
  SurfaceView v = surface_view(flow, m, diffusivity, still);
  v.pressure = flow.field(flow.scalars[scalar]).at(0, 0, 0);
  const int n = cut.piece_count();
  work.resize(3 * n);
  double* out = work.data();
  const Piece* pieces = cut.pieces();
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
                    const double (&omega)[3], GrowingArray<double, Space>& work) {
  const SurfaceView v = surface_view(flow, m, viscosity, omega);
  const Layout& l = flow.layout;
  const int n = cut.piece_count();
  work.resize(6 * n);
  double* out = work.data();
  const Piece* pieces = cut.pieces();
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
  return force;
}

template <class Space>
double ControlVolume<Space>::momentum(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut,
                                      const WallMotion& wall, int c) const {
  const Layout& l = flow.layout;
  const CellBox box = box_;
  const Span x = own_part(l, 0, box.low[0] + (c == 0), box.high[0]),
             y = own_part(l, 1, box.low[1] + (c == 1), box.high[1]),
             z = own_part(l, 2, box.low[2] + (c == 2), box.high[2]);
  const int i0 = x.first, i1 = x.last, j0 = y.first, k0 = z.first, rows_y = y.size(), rows_z = z.size();
  if (rows_y * rows_z == 0) return 0;
  const int sy = l.stride(1), sz = l.stride(2), origin = l.origin();
  const double *u = flow.velocity[c].data(), *fraction = cut.fraction(c);
  const double *wx = c == 0 ? m.line[0].m : m.line[0].h, *wy = c == 1 ? m.line[1].m : m.line[1].h,
               *wz = c == 2 ? m.line[2].m : m.line[2].h;
  const double *px = c == 0 ? m.line[0].face : m.line[0].centre, *py = c == 1 ? m.line[1].face : m.line[1].centre,
               *pz = c == 2 ? m.line[2].face : m.line[2].centre;
  const double v = wall.velocity[c], gx = wall.slope[c][0], gy = wall.slope[c][1], gz = wall.slope[c][2],
               outside = wall.outside;
  return sum<Space>(rows_y * rows_z, [=] WEIR_HD(int r) {
    const int j = j0 + r % rows_y, k = k0 + r / rows_y, at = origin + j * sy + k * sz;
    const double here = v + gy * py[j] + gz * pz[k];
    double row = 0;
    for (int i = i0; i < i1; ++i)
      row += (fraction[at + i] * u[at + i] + (outside - fraction[at + i]) * (here + gx * px[i])) * wx[i];
    return row * wy[j] * wz[k];
  });
}

template <class Space>
double ControlVolume<Space>::driving(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut, int c,
                                     double force, View<const double> more) const {
  const Layout& l = flow.layout;
  const CellBox box = box_;
  const Span x = own_part(l, 0, box.low[0] + (c == 0), box.high[0]),
             y = own_part(l, 1, box.low[1] + (c == 1), box.high[1]),
             z = own_part(l, 2, box.low[2] + (c == 2), box.high[2]);
  const int i0 = x.first, i1 = x.last, j0 = y.first, k0 = z.first, rows_y = y.size(), rows_z = z.size();
  double sum_of_own = 0;
  if (rows_y * rows_z > 0) {
    const int sy = l.stride(1), sz = l.stride(2), origin = l.origin();
    const int fx = c == 0 ? l.first(0) : 0, fy = c == 1 ? l.first(1) : 0, fz = c == 2 ? l.first(2) : 0;
    const Extents unknowns = l.unknowns(c);
    const double *fraction = cut.fraction(c), *b = more.data();
    const double *wx = c == 0 ? m.line[0].m : m.line[0].h, *wy = c == 1 ? m.line[1].m : m.line[1].h,
                 *wz = c == 2 ? m.line[2].m : m.line[2].h;
    sum_of_own = sum<Space>(rows_y * rows_z, [=] WEIR_HD(int r) {
      const int j = j0 + r % rows_y, k = k0 + r / rows_y, at = origin + j * sy + k * sz;
      double row = 0;
      for (int i = i0; i < i1; ++i)
        row += fraction[at + i] * (force * wx[i] * wy[j] * wz[k] + b[unknowns.index(i - fx, j - fy, k - fz)]);
      return row;
    });
  }
  return ranks_->sum(sum_of_own);
}

template <class Space>
double ControlVolume<Space>::outflow(const Flow<Space>& flow, const Metrics& m, int c, bool pressure) const {
  double total = 0;
  for (int t = 0; t < flow.layout.dim; ++t) {
    const int low = box_.low[t], high = t == c ? box_.high[t] - 1 : box_.high[t];
    total += flux_through<Space>(flow, m, box_, viscosity_, c, t, high, pressure) -
             flux_through<Space>(flow, m, box_, viscosity_, c, t, low, pressure);
  }
  return total;
}

template <class Space>
std::array<double, 9> ControlVolume<Space>::balance(const Flow<Space>& flow, const Metrics& m,
                                                    const CutArrays<Space>& cut, const WallMotion& wall) const {
  std::array<double, 9> all{};
  for (int c = 0; c < flow.layout.dim; ++c) {
    const auto s = static_cast<std::size_t>(c);
    all[s] = momentum(flow, m, cut, wall, c);
    all[3 + s] = outflow(flow, m, c, false);
    all[6 + s] = outflow(flow, m, c, true);
  }
  ranks_->sum(all);
  for (std::size_t c = 0; c < 3; ++c) all[c] -= wall.solid[c];
  return all;
}

template <class Space>
std::array<double, 9> ControlVolume<Space>::remember(const Flow<Space>& flow, const Metrics& m,
                                                     const CutArrays<Space>& cut, const WallMotion& wall) {
  const std::array<double, 9> now = balance(flow, m, cut, wall);
  for (std::size_t c = 0; c < 3; ++c) {
    momentum_[c] = now[c];
    outflow_[c] = now[3 + c];
  }
  return now;
}

template <class Space>
void ControlVolume<Space>::advance(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut,
                                   const WallMotion& wall, double dt, const double (&driven)[3], double (&force)[3]) {
  const ControlVolume before = *this;
  const std::array<double, 9> now = remember(flow, m, cut, wall);
  for (std::size_t c = 0; c < 3; ++c) {
    const double pressure = now[6 + c] - outflow_[c];  // of the half level already
    force[c] =
        -(momentum_[c] - before.momentum_[c]) / dt - 0.5 * (outflow_[c] + before.outflow_[c]) - pressure + driven[c];
  }
}

#define WEIR_FORCES(S)                                                                                               \
  template Force surface_force<S>(const Flow<S>&, const Metrics&, const CutArrays<S>&, double, const double(&)[3],   \
                                  GrowingArray<double, S>&);                                                         \
  template SurfaceScalar surface_scalar<S>(const Flow<S>&, std::size_t, const Metrics&, const CutArrays<S>&, double, \
                                           const WallScalar&, GrowingArray<double, S>&);                             \
  template class ControlVolume<S>;
WEIR_FORCES(Host)
WEIR_FORCES(Device)
#undef WEIR_FORCES

}  // namespace weir
