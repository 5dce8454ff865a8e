#include "miniapps/immersed/forces.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {
namespace {

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

// This rank's faces of component c inside the box: from i0 to i1 of rows_y rows from j0 on in each of rows_z planes
// from k0.
struct OwnFaces {
  int i0, i1, j0, k0, rows_y, rows_z;
};
OwnFaces own_faces(const Layout& l, const CellBox& box, int c) {
  const Span x = own_part(l, 0, box.low[0] + (c == 0), box.high[0]),
             y = own_part(l, 1, box.low[1] + (c == 1), box.high[1]),
             z = own_part(l, 2, box.low[2] + (c == 2), box.high[2]);
  return {x.first, x.last, y.first, z.first, y.size(), z.size()};
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
double ControlVolume<Space>::momentum(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut,
                                      const WallMotions& walls, int c, int body) const {
  const WallMotion& wall = walls[static_cast<std::size_t>(body)];
  const Layout& l = flow.layout;
  const OwnFaces own = own_faces(l, box_, c);
  const int i0 = own.i0, i1 = own.i1, j0 = own.j0, k0 = own.k0, rows_y = own.rows_y, rows_z = own.rows_z;
  if (rows_y * rows_z == 0) return 0;
  const int sy = l.stride(1), sz = l.stride(2), origin = l.origin();
  const double *u = flow.velocity[c].data(), *fraction = cut.fraction(c);
  const double *wx = c == 0 ? m.line[0].m : m.line[0].h, *wy = c == 1 ? m.line[1].m : m.line[1].h,
               *wz = c == 2 ? m.line[2].m : m.line[2].h;
  const double *px = c == 0 ? m.line[0].face : m.line[0].centre, *py = c == 1 ? m.line[1].face : m.line[1].centre,
               *pz = c == 2 ? m.line[2].face : m.line[2].centre;
  const unsigned char* body_of = cut.body_of(c);
  const double fluid = body == 0 ? 1 : 0;  // the first body's sum has the fluid
  const double v = wall.velocity[c], gx = wall.slope[c][0], gy = wall.slope[c][1], gz = wall.slope[c][2],
               outside = wall.outside;
  return sum<Space>(rows_y * rows_z, [=] WEIR_HD(int r) {
    const int j = j0 + r % rows_y, k = k0 + r / rows_y, at = origin + j * sy + k * sz;
    const double here = v + gy * py[j] + gz * pz[k];
    double row = 0;
    for (int i = i0; i < i1; ++i) {
      const double solid = body_of && body_of[at + i] != body ? 0 : outside - fraction[at + i];
      row += (fluid * (fraction[at + i] * u[at + i]) + solid * (here + gx * px[i])) * wx[i];
    }
    return row * wy[j] * wz[k];
  });
}

template <class Space>
double ControlVolume<Space>::driving(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut, int c,
                                     double force, View<const double> more) const {
  const Layout& l = flow.layout;
  const OwnFaces own = own_faces(l, box_, c);
  const int i0 = own.i0, i1 = own.i1, j0 = own.j0, k0 = own.k0, rows_y = own.rows_y, rows_z = own.rows_z;
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
                                                    const CutArrays<Space>& cut, const WallMotions& walls) const {
  std::array<double, 9> all{};
  for (int c = 0; c < flow.layout.dim; ++c) {
    const auto s = static_cast<std::size_t>(c);
    for (std::size_t b = 0; b < walls.size(); ++b) all[s] += momentum(flow, m, cut, walls, c, static_cast<int>(b));
    all[3 + s] = outflow(flow, m, c, false);
    all[6 + s] = outflow(flow, m, c, true);
  }
  ranks_->sum(all);
  for (const WallMotion& wall : walls)
    for (std::size_t c = 0; c < 3; ++c) all[c] -= wall.solid[c];
  return all;
}

template <class Space>
std::array<double, 9> ControlVolume<Space>::remember(const Flow<Space>& flow, const Metrics& m,
                                                     const CutArrays<Space>& cut, const WallMotions& walls) {
  const std::array<double, 9> now = balance(flow, m, cut, walls);
  for (std::size_t c = 0; c < 3; ++c) {
    momentum_[c] = now[c];
    outflow_[c] = now[3 + c];
  }
  return now;
}

template <class Space>
void ControlVolume<Space>::advance(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut,
                                   const WallMotions& walls, double dt, const double (&driven)[3], double (&force)[3]) {
  const ControlVolume before = *this;
  const std::array<double, 9> now = remember(flow, m, cut, walls);
  for (std::size_t c = 0; c < 3; ++c) {
    const double pressure = now[6 + c] - outflow_[c];  // of the half level already
    force[c] =
        -(momentum_[c] - before.momentum_[c]) / dt - 0.5 * (outflow_[c] + before.outflow_[c]) - pressure + driven[c];
  }
}

template class ControlVolume<Host>;
template class ControlVolume<Device>;

}  // namespace weir
