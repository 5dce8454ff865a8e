#include "mesh/body/motion/left_ventricle.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "mesh/generate/triangles.hpp"

namespace weir {
namespace {

constexpr double pi = std::numbers::pi;
enum : int { wall_patch, base_patch, mitral_patch, aortic_patch };

// Stretches whose product is the volume ratio q: the long axis by q^a, the others by q^((1 - a) / 2).
MotionLaw volume_stretch(const VolumeLaw& law, double longitudinal) {
  return [=](double t, Placement& p) {
    const ValueAndRate q = law.volume(t);
    const double across = 0.5 * (1 - longitudinal);
    const Vec3 power{across, across, longitudinal};
    for (std::size_t d = 0; d < 3; ++d) {
      const double factor = std::pow(q.value, power[d]);
      p.stretch_rate[d] = factor * (p.stretch_rate[d] + p.stretch[d] * power[d] * q.rate / q.value);
      p.stretch[d] *= factor;
    }
  };
}

// Meridian of the wall from the rim of the base (fraction 0) to the apex (1), by arc length.
class Meridian {
 public:
  explicit Meridian(const LeftVentricleOptions& o) : o_(o), top_(std::asin(o.base_height / o.length)) {
    arc_.push_back(0);
    for (int i = 0; i < steps; ++i) {
      const double u = latitude(i + 0.5);
      arc_.push_back(arc_.back() +
                     std::hypot(o.radius * std::sin(u), o.length * std::cos(u)) * (top_ + 0.5 * pi) / steps);
    }
  }
  double length() const { return arc_.back(); }
  std::array<double, 2> at(double fraction) const {
    const double wanted = fraction * length();
    const auto above = std::lower_bound(arc_.begin() + 1, arc_.end() - 1, wanted);
    const double step = static_cast<double>(above - arc_.begin()) - 1 + (wanted - above[-1]) / (above[0] - above[-1]);
    const double u = latitude(step);
    return {o_.length * std::sin(u) - o_.base_height, o_.radius * std::cos(u)};
  }

 private:
  static constexpr int steps = 2000;
  double latitude(double step) const { return top_ - step / steps * (top_ + 0.5 * pi); }
  LeftVentricleOptions o_;
  double top_;
  std::vector<double> arc_;
};

// The triangles between two rings, advancing on the ring that lags in angle. Seen from inside the cavity the rings
// run clockwise and the triangles counter-clockwise.
void stitch(Surface& s, int upper, int uppers, int lower, int lowers) {
  int i = 0, j = 0;
  while (i < uppers || j < lowers) {
    const int a = upper + i % uppers, b = lower + j % lowers;
    const bool is_upper =
        j == lowers || (i < uppers && std::int64_t{1} * (2 * i + 1) * lowers <= std::int64_t{1} * (2 * j + 1) * uppers);
    if (is_upper)
      s.element.push_back({a, upper + ++i % uppers, b});
    else
      s.element.push_back({a, lower + ++j % lowers, b});
  }
}

void add_wall(Surface& s, const LeftVentricleOptions& o, double spacing, int rim_nodes) {
  const Meridian meridian(o);
  const int bands = std::max(4, static_cast<int>(std::lround(meridian.length() / (spacing * 0.866))));
  int above = 0, above_count = rim_nodes;
  for (int ring = 1; ring <= bands; ++ring) {
    const auto [z, r] = meridian.at(static_cast<double>(ring) / bands);
    const int begin = s.nodes();
    if (ring == bands) {
      s.node.push_back({0, 0, -o.length - o.base_height});
      for (int i = 0; i < above_count; ++i) s.element.push_back({above + i, above + (i + 1) % above_count, begin});
      break;
    }
    const int n = std::max(6, static_cast<int>(std::lround(2 * pi * r / spacing)));
    for (int i = 0; i < n; ++i) s.node.push_back({r * std::cos(2 * pi * i / n), r * std::sin(2 * pi * i / n), z});
    stitch(s, above, above_count, begin, n);
    above = begin;
    above_count = n;
  }
  s.patch.assign(s.element.size(), wall_patch);
}

// A round part of the base: `outer` and `holes` are rings of nodes.
using Ring = std::vector<int>;

void add_flat(Surface& s, const Ring& outer, const std::vector<Ring>& holes, double spacing, int patch) {
  std::vector<Point> node;
  std::vector<int> number;
  std::vector<std::array<int, 2>> edges;
  const auto add = [&](const Ring& ring, bool is_hole) {
    const int begin = static_cast<int>(node.size()), n = static_cast<int>(ring.size());
    for (int i = 0; i < n; ++i) {
      node.push_back({s.node[ring[i]][0], s.node[ring[i]][1]});
      number.push_back(ring[i]);
      const int a = begin + i, b = begin + (i + 1) % n;
      edges.push_back(is_hole ? std::array{b, a} : std::array{a, b});
    }
  };
  add(outer, false);
  for (const Ring& hole : holes) add(hole, true);
  const Triangulation flat = fill_with_triangles(node, edges, [=](const Point&) { return spacing; });
  for (std::size_t i = number.size(); i < flat.node.size(); ++i) {
    number.push_back(s.nodes());
    s.node.push_back({flat.node[i][0], flat.node[i][1], 0});
  }
  for (const Triangle& t : flat.triangle) {  // seen from the cavity below, orientation is reversed
    s.element.push_back({number[t.node[0]], number[t.node[2]], number[t.node[1]]});
    s.patch.push_back(patch);
  }
}

Ring add_circle(Surface& s, double x, double radius, double spacing) {
  const int n = std::max(8, static_cast<int>(std::lround(2 * pi * radius / spacing)));
  Ring ring;
  for (int i = 0; i < n; ++i) {
    ring.push_back(s.nodes());
    s.node.push_back({x + radius * std::cos(2 * pi * i / n), radius * std::sin(2 * pi * i / n), 0});
  }
  return ring;
}

Opening opening(const Surface& s, int patch, double x, double radius, double profile) {
  Opening o{patch, std::vector<double>(s.node.size(), 0.0)};
  constexpr double rim = 1 - 1e-9;  // beyond it the profile is rounding error
  for (int e = 0; e < s.elements(); ++e) {
    if (s.patch[e] != patch) continue;
    for (const int n : s.element[e]) {
      const double r = std::hypot(s.node[n][0] - x, s.node[n][1]) / radius;
      o.weight[n] = r < rim ? 1 - std::pow(r, profile) : 0;
    }
  }
  return o;
}

}  // namespace

LeftVentricle make_left_ventricle(const LeftVentricleOptions& o, double spacing) {
  Surface s;
  s.is_cavity = true;
  s.patch_name = {"wall", "base", "mitral", "aortic"};
  const double rim = o.radius * std::sqrt(1 - std::pow(o.base_height / o.length, 2));
  const Ring outer = add_circle(s, 0, rim, spacing);
  add_wall(s, o, spacing, static_cast<int>(outer.size()));
  const double mitral_x = rim * o.mitral_centre, mitral_r = rim * o.mitral_radius;
  const double aortic_x = rim * o.aortic_centre, aortic_r = rim * o.aortic_radius;
  const Ring mitral = add_circle(s, mitral_x, mitral_r, spacing), aortic = add_circle(s, aortic_x, aortic_r, spacing);
  add_flat(s, outer, {mitral, aortic}, spacing, base_patch);
  add_flat(s, mitral, {}, spacing, mitral_patch);
  add_flat(s, aortic, {}, spacing, aortic_patch);
  LeftVentricle lv{std::move(s), {}, {}, volume_stretch(o.law, o.longitudinal)};
  lv.mitral = opening(lv.surface, mitral_patch, mitral_x, mitral_r, o.profile);
  lv.aortic = opening(lv.surface, aortic_patch, aortic_x, aortic_r, o.profile);
  return lv;
}

ValueAndRate VolumeLaw::volume(double t) const {
  const double tau = t / period - std::floor(t / period);
  const double e_length = e_wave[1] - e_wave[0], a_length = a_wave[1] - a_wave[0];
  const double e_part = ea_ratio * e_length, share = e_part / (e_part + a_length);  // peak of a wave: 2 share / length
  ValueAndRate v{1 - ejection_fraction, 0};
  const auto add = [&](const std::array<double, 2>& wave, double part) {
    const double d = wave[1] - wave[0];
    const ValueAndRate w = flow_wave((tau - wave[0]) / d);
    v.value += part * w.value;
    v.rate += part * w.rate / (d * period);
  };
  add(e_wave, ejection_fraction * share);
  add(a_wave, ejection_fraction * (1 - share));
  add(systole, -ejection_fraction);
  return v;
}

}  // namespace weir
