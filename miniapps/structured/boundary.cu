#include "miniapps/structured/boundary.hpp"

#include <algorithm>

#include "miniapps/structured/sides/patch_values.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/distributed/sum_over_ranks.hpp"

namespace weir {
namespace {

// Width of a component's control volume along a direction.
WEIR_HD double cv_width(const Metrics& m, int component, int direction, int i) {
  return component == direction ? m.line[direction].m[i] : m.line[direction].h[i];
}

// 4 s (1 - s) across one direction: its mean over the cell, so that the flux of the profile is exact, or its value at a
// face. The whole grid's cells are first .. last - 1 as this rank counts.
WEIR_HD double parabola(const MetricLine& line, int first, int last, bool at_face, int i) {
  const double origin = line.face[first], length = line.face[last] - origin;
  if (at_face || i < first || i >= last) {
    const double s = ((at_face && i >= first ? line.face[i] : line.centre[i]) - origin) / length;
    return 4 * s * (1 - s);
  }
  const double a = (line.face[i] - origin) / length, b = (line.face[i + 1] - origin) / length;
  return mean_parabola(a, b);
}

template <class Space>
void fill_given_side(BoundaryValues<Space>& values, int patch, int component, double t) {
  const Layout& l = values.l;
  const SidePatch& s = values.c.patches[patch];
  const Plane p = make_plane(l, s.side / 2);
  const int first1 = s.first[p.t1] - l.low[p.t1], first2 = s.first[p.t2] - l.low[p.t2];
  const int last1 = s.last[p.t1] - l.low[p.t1], last2 = s.last[p.t2] - l.low[p.t2];
  const double factor = s.modulation.at(t), value = s.has_velocity() ? s.velocity[component] * factor : 0;
  const bool shaped = s.profile == SidePatch::Profile::parabolic;
  const bool shape1 = shaped && p.pad1 && !values.c.is_uniform_along(s, p.t1),
             shape2 = shaped && p.pad2 && !values.c.is_uniform_along(s, p.t2);
  const bool face1 = component == p.t1, face2 = component == p.t2;
  const MetricLine line1 = values.m.line[p.t1], line2 = values.m.line[p.t2];
  const double* given = s.has_formula ? values.formula(s.side, component) : nullptr;
  const int* owner = values.patch_of(s.side, component);
  double* out = values.next(s.side, component);
  for_each<Space>(p.padded(), [=] WEIR_HD(int ia, int ib, int) {
    const int a = ia - p.pad1, b = ib - p.pad2, q = p.index(a, b);
    if (owner[q] != patch) return;
    const double f1 = shape1 ? parabola(line1, first1, last1, face1, a) : 1,
                 f2 = shape2 ? parabola(line2, first2, last2, face2, b) : 1;
    out[q] = given ? given[q] * factor : value * f1 * f2;
  });
}

// Position of the values of a component on the side (or just inside of it) in the padded field.
struct SideSteps {
  int start, s1, s2;  // index of the point (a, b) = (0, 0), and its steps
};
SideSteps side_steps(const Layout& l, const Plane& p, int at) {
  return {l.origin() + at * l.stride(p.d), l.stride(p.t1), l.stride(p.t2)};
}

template <class Space>
void take_from_field(BoundaryValues<Space>& values, int patch, int component, const Flow<Space>& flow) {
  const Layout& l = values.l;
  const int side = values.c.patches[patch].side, d = side / 2, n = l.n[d];
  const Plane p = make_plane(l, d);
  const SideSteps at = side_steps(l, p, side % 2 == 0 ? 0 : (component == d ? n : n - 1));
  const double* f = flow.velocity[component].data();
  const int* owner = values.patch_of(side, component);
  double* out = values.next(side, component);
  for_each<Space>(p.padded(), [=] WEIR_HD(int ia, int ib, int) {
    const int a = ia - p.pad1, b = ib - p.pad2, q = p.index(a, b);
    if (owner[q] == patch) out[q] = f[at.start + a * at.s1 + b * at.s2];
  });
}

bool is_whole_side(const IncompressibleCase& c, int side) {
  return std::ranges::count_if(c.patches, [&](const SidePatch& p) { return p.side == side; }) == 1;
}

// Flux through a patch of the whole box: the sum over the ranks at it.
template <class Space>
double flux_into_box(BoundaryValues<Space>& values, int patch) {
  const int side = values.c.patches[patch].side;
  const Plane p = make_plane(values.l, side / 2);
  const int points = values.l.is_side(side) ? p.n1 * p.n2 : 0;
  const double *h1 = values.m.line[p.t1].h, *h2 = values.m.line[p.t2].h, *normal = values.next(side, side / 2);
  const int* owner = values.patch_of(side, side / 2);
  const auto through = [=] WEIR_HD(int n) {
    const int a = n % p.n1, b = n / p.n1;
    return normal[p.index(a, b)] * h1[a] * h2[b];
  };
  double out = 0;
  if (is_whole_side(values.c, side))  // a branch within the sum would change its rounding
    out = sum_over_ranks<Space>(values.ranks(), points, through);
  else
    out = sum_over_ranks<Space>(values.ranks(), points, [=] WEIR_HD(int n) {
      return owner[p.index(n % p.n1, n / p.n1)] == patch ? through(n) : 0.0;
    });
  return side % 2 == 0 ? out : -out;
}

bool is_outlet(const SidePatch& p) { return p.type == SidePatch::Type::outlet; }

using Choice = bool (*)(const SidePatch&);

// The patches whose normal velocity may be changed to balance the fluxes: the outlets; without outlets, the inlets with
// formulas that change in time; without these, all inlets with formulas.
Choice balancing_patches(const IncompressibleCase& c) {
  if (c.has_outlet()) return is_outlet;
  const Choice formula = [](const SidePatch& p) { return p.has_formula && p.type == SidePatch::Type::inlet; };
  const Choice changing = [](const SidePatch& p) {
    return p.has_formula && p.type == SidePatch::Type::inlet && p.changes_in_time();
  };
  return std::ranges::any_of(c.patches, changing) ? changing : formula;
}

double area_of(const IncompressibleCase& c, Choice takes_part) {
  double area = 0;
  for (const SidePatch& p : c.patches)
    if (takes_part(p)) area += area_of_patch(c, p);
  return area;
}

template <class Space>
void convect_outlet(BoundaryValues<Space>& values, int patch, double speed, double dt, const Flow<Space>& flow) {
  const Layout& l = values.l;
  const int side = values.c.patches[patch].side, d = side / 2, n = l.n[d];
  if (!l.is_side(side)) return;
  const bool high = side % 2 == 1;
  const Plane p = make_plane(l, d);
  for (int c = 0; c < l.dim; ++c) {
    const double h = c == d ? 1 : 0.5;  // of the cell next to the outlet: position of the inner value
    const SideSteps at = side_steps(l, p, high ? n - 1 : (c == d ? 1 : 0));
    const double *f = flow.velocity[c].data(), *old = values.now(side, c),
                 *inv_h = values.m.line[d].inv_h + (high ? n - 1 : 0);
    const int* owner = values.patch_of(side, c);
    double* b = values.next(side, c);
    for_each<Space>(p.padded(), [=] WEIR_HD(int ia, int ib, int) {
      const int i1 = ia - p.pad1, i2 = ib - p.pad2, q = p.index(i1, i2);
      if (owner[q] != patch) return;
      const double k = dt * speed * inv_h[0] / h;
      b[q] = (old[q] + k * f[at.start + i1 * at.s1 + i2 * at.s2]) / (1 + k);
    });
  }
}

// Adds a constant to the normal component on every outlet, so that the fluxes sum to what is taken inside. Without an
// outlet: on every patch with a formula.
template <class Space>
void balance_mass(BoundaryValues<Space>& values, double taken) {
  const IncompressibleCase& c = values.c;
  const Layout& l = values.l;
  const auto takes_part = balancing_patches(c);
  const double area = area_of(c, takes_part);
  if (area == 0) return;
  const int patches = static_cast<int>(c.patches.size());
  double excess = -taken;
  for (int q = 0; q < patches; ++q) {
    if (is_outlet(c.patches[q])) values.flux[q] = flux_into_box(values, q);
    excess += values.flux[q];
  }
  for (int q = 0; q < patches; ++q) {
    const int s = c.patches[q].side;
    if (!takes_part(c.patches[q])) continue;
    const double change = (s % 2 == 1 ? 1 : -1) * excess / area;
    if (l.is_side(s)) {
      double* b = values.next(s, s / 2);
      const int* owner = values.patch_of(s, s / 2);
      for_each<Space>(make_plane(l, s / 2).padded().count(), [=] WEIR_HD(int i) {
        if (owner[i] == q) b[i] += change;
      });
    }
    values.flux[q] -= excess * area_of_patch(c, c.patches[q]) / area;
  }
}

template <class Space>
void fill_given(BoundaryValues<Space>& values, int patch, double t) {
  const int side = values.c.patches[patch].side;
  for (int e = 0; e < values.l.dim && values.l.is_side(side); ++e) fill_given_side(values, patch, e, t);
  values.flux[patch] = flux_into_box(values, patch);
}

template <class Space>
void copy_plane(const Layout& l, int d, const double* from, double* to) {
  for_each<Space>(make_plane(l, d).padded().count(), [=] WEIR_HD(int i) { to[i] = from[i]; });
}

struct GhostEnds {
  const double *low[3] = {}, *high[3] = {};  // planes of each component
  double* f[3] = {};
  bool known_low = true, known_high = true;  // tangential components too
  bool cut_low = false, cut_high = false;    // cells of another rank, which are not modified
};

// The two ends of a line of cells through the box along d.
WEIR_HD inline void end_values(const GhostEnds& g, const Plane& p, const SideSteps& at, int sd, int n, int c, int a,
                               int b) {
  const int q = p.index(a, b);
  double* line = g.f[c] + at.start + a * at.s1 + b * at.s2;
  if (c == p.d) {
    if (!g.cut_low) line[0] = g.low[c][q];
    if (!g.cut_high) line[n * sd] = g.high[c][q];
  } else {
    if (!g.cut_low) line[-sd] = g.known_low ? 2 * g.low[c][q] - line[0] : line[0];
    if (!g.cut_high) line[n * sd] = g.known_high ? 2 * g.high[c][q] - line[(n - 1) * sd] : line[(n - 1) * sd];
  }
}

template <class Space>
void periodic_images(const Layout& l, int d, double* f) {
  const Plane p = make_plane(l, d);
  const SideSteps at = side_steps(l, p, 0);
  const int n = l.n[d], sd = l.stride(d);
  for_each<Space>(p.padded(), [=] WEIR_HD(int ia, int ib, int) {
    double* line = f + at.start + (ia - p.pad1) * at.s1 + (ib - p.pad2) * at.s2;
    line[-sd] = line[(n - 1) * sd];
    line[n * sd] = line[0];
  });
}

// Components [from, to) in direction d.
template <class Space>
void fill_ends(BoundaryValues<Space>& values, Flow<Space>& flow, int d, int from, int to) {
  const Layout& l = values.l;
  if (l.periodic[d]) {
    for (int e = from; e < to; ++e) periodic_images<Space>(l, d, flow.velocity[e].data());
    return;
  }
  if (!l.is_side(2 * d) && !l.is_side(2 * d + 1)) return;
  const Plane p = make_plane(l, d);
  const SideSteps at = side_steps(l, p, 0);
  GhostEnds g;
  g.cut_low = l.cut[2 * d];
  g.cut_high = l.cut[2 * d + 1];
  for (int e = from; e < to; ++e) {
    g.low[e] = values.now(2 * d, e);
    g.high[e] = values.now(2 * d + 1, e);
    g.f[e] = flow.velocity[e].data();
  }
  g.known_low = values.c.side(d, 0).has_velocity();
  g.known_high = values.c.side(d, 1).has_velocity();
  const int n = l.n[d], sd = l.stride(d);
  for_each<Space>(p.padded(), [=] WEIR_HD(int ia, int ib, int) {
    for (int e = from; e < to; ++e) end_values(g, p, at, sd, n, e, ia - p.pad1, ib - p.pad2);
  });
}

}  // namespace

template <class Space>
BoundaryValues<Space>::BoundaryValues(const IncompressibleCase& of, const Metrics& metrics, const Layout& layout,
                                      const Communicator* ranks)
    : c(of),
      m(metrics),
      l(layout),
      flux(of.patches.size(), 0.0),
      planes_(l),
      ranks_(ranks),
      now_(planes_.total),
      next_(planes_.total),
      host_owner_(patches_of_points(c, l)),
      owner_(host_owner_) {
  if (std::ranges::none_of(c.patches, [](const SidePatch& p) { return p.has_formula; })) return;
  host_formula_.resize(static_cast<std::size_t>(planes_.total), 0.0);
  formula_ = Array<double, Space>(planes_.total);
  evaluate_formulas(0, false);
}

template <class Space>
void BoundaryValues<Space>::evaluate_formulas(double t, bool only_changing) {
  const auto changes = [](const SidePatch& p) { return depends_on_time(p.formula); };
  if (host_formula_.empty() || (only_changing && std::ranges::none_of(c.patches, changes))) return;
  evaluate_patches(c, l, t, only_changing, host_owner_, host_formula_);
  formula_.upload(host_formula_);
}

template <class Space>
void BoundaryValues<Space>::initialise(const Flow<Space>& flow, double t, double taken) {
  evaluate_formulas(t, true);
  for (int q = 0; q < static_cast<int>(c.patches.size()); ++q) {
    const int s = c.patches[q].side;
    if (s >= 2 * l.dim || c.is_periodic(s / 2)) continue;
    if (is_outlet(c.patches[q]))
      for (int e = 0; e < l.dim && l.is_side(s); ++e) take_from_field(*this, q, e, flow);
    else
      fill_given(*this, q, t);
  }
  balance_mass(*this, taken);
  for (int s = 0; s < 2 * l.dim; ++s)
    for (int e = 0; e < l.dim && l.is_side(s); ++e) copy_plane<Space>(l, s / 2, next(s, e), now(s, e));
}

template <class Space>
void BoundaryValues<Space>::follow_loaded() {
  for (int s = 0; s < 2 * l.dim; ++s)
    for (int e = 0; e < l.dim && l.is_side(s); ++e) copy_plane<Space>(l, s / 2, now(s, e), next(s, e));
  for (int q = 0; q < static_cast<int>(c.patches.size()); ++q)
    if (c.patches[q].side < 2 * l.dim) flux[q] = flux_into_box(*this, q);
}

template <class Space>
bool BoundaryValues<Space>::advance(const Flow<Space>& flow, double t, double dt, double taken) {
  double inflow = 0;
  bool changes = false;
  evaluate_formulas(t + dt, true);
  const int patches = static_cast<int>(c.patches.size());
  for (int q = 0; q < patches; ++q) {
    const SidePatch& patch = c.patches[q];
    changes = changes || patch.changes_in_time();
    if (is_outlet(patch)) continue;
    if (patch.changes_in_time()) fill_given(*this, q, t + dt);
    inflow += flux[q];
  }
  if (!changes) return false;
  const double area = area_of(c, is_outlet), speed = area > 0 ? std::max(inflow, 0.0) / area : 0;
  for (int q = 0; q < patches; ++q)
    if (is_outlet(c.patches[q])) convect_outlet(*this, q, speed, dt, flow);
  balance_mass(*this, taken);
  return true;
}

template <class Space>
void BoundaryValues<Space>::add_increment(int component, double dt, View<double> rhs) {
  const Metrics metrics = m;  // a copy, because `this` is not valid in a kernel
  const Extents box = l.unknowns(component);
  for (int s = 0; s < 2 * l.dim; ++s) {
    const auto changes = [s](const SidePatch& q) { return q.side == s && q.changes_in_time(); };
    if (!l.is_side(s) || std::ranges::none_of(c.patches, changes)) continue;
    const Plane p = make_plane(l, s / 2);
    const int first1 = component == p.t1 ? l.first(p.t1) : 0, first2 = component == p.t2 ? l.first(p.t2) : 0;
    const int size[3] = {box.nx, box.ny, box.nz}, step[3] = {1, box.nx, box.nx * box.ny};
    const int step1 = step[p.t1], step2 = step[p.t2];
    const bool high = s % 2 == 1, normal = component == p.d;
    const int row = high ? (size[p.d] - 1) * step[p.d] : 0;
    // (nu/2) of the value on the side: at the distance h of the first face, or h/2 of the first centre
    const double factor = dt * c.viscosity * (normal ? 0.5 : 1.0);
    const double* inv_h = m.line[p.d].inv_h + (high ? l.n[p.d] - 1 : 0);
    const double *old = now(s, component), *coming = next(s, component);
    for_each<Space>(Extents{size[p.t1], size[p.t2], 1}, [=] WEIR_HD(int ia, int ib, int) {
      const int a = ia + first1, b = ib + first2, q = p.index(a, b);
      const double area = cv_width(metrics, component, p.t1, a) * cv_width(metrics, component, p.t2, b);
      rhs[row + ia * step1 + ib * step2] += factor * inv_h[0] * area * (coming[q] - old[q]);
    });
  }
}

template <class Space>
void BoundaryValues<Space>::set_ghosts(Flow<Space>& flow) {
  for (int d = 0; d < l.dim; ++d) fill_ends(*this, flow, d, 0, l.dim);
}

template <class Space>
void BoundaryValues<Space>::set_normal_velocity(Flow<Space>& flow) {
  for (int d = 0; d < l.dim; ++d) fill_ends(*this, flow, d, d, d + 1);
}

template <class Space>
void periodic_ghosts(const Layout& l, double* field) {
  for (int d = 0; d < l.dim; ++d)
    if (l.periodic[d]) periodic_images<Space>(l, d, field);
}

template <class Space>
void pressure_ghosts(Flow<Space>& flow) {
  periodic_ghosts<Space>(flow.layout, flow.p.data());
}

template class BoundaryValues<Host>;
template class BoundaryValues<Device>;
template void periodic_ghosts<Host>(const Layout&, double*);
template void periodic_ghosts<Device>(const Layout&, double*);
template void pressure_ghosts<Host>(Flow<Host>&);
template void pressure_ghosts<Device>(Flow<Device>&);

}  // namespace weir
