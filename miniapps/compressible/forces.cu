// With the unit normal n from the fluid into the wall and the tangent t = (-n_y, n_x), the force on the wall is p n
// plus shear t; the free-stream pressure, whose sum over a closed body is zero, is subtracted.
#include "miniapps/compressible/forces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/device/reduce.hpp"

namespace weir {
namespace {

// {along (dx, dy), along (-dy, dx)} of the sum of area * amount * vector, the normal or the tangent.
template <class Space>
Pair resolved(const Array<double, Space>& nx, const Array<double, Space>& ny, const Array<double, Space>& area,
              const Array<double, Space>& amount, double less, bool along_tangent, double dx, double dy) {
  const double *x = nx.data(), *y = ny.data(), *a = area.data(), *q = amount.data();
  return sum2<Space>(area.size(), [=] WEIR_HD(int f) {
    const double vx = along_tangent ? -y[f] : x[f], vy = along_tangent ? x[f] : y[f];
    const double force = a[f] * (q[f] - less);
    return Pair{force * (vx * dx + vy * dy), force * (vy * dx - vx * dy)};
  });
}

// {moment of pressure and shear, heat}.
template <class Space>
Pair moment_and_heat(const Array<double, Space>& normal_arm, const Array<double, Space>& tangent_arm,
                     const Array<double, Space>& area, const Array<double, Space>& pressure, double less,
                     const Array<double, Space>& shear, const Array<double, Space>& heat) {
  const double *n = normal_arm.data(), *t = tangent_arm.data(), *a = area.data(), *p = pressure.data(),
               *s = shear.data(), *q = heat.data();
  return sum2<Space>(area.size(), [=] WEIR_HD(int f) {
    return Pair{a[f] * ((p[f] - less) * n[f] + s[f] * t[f]), a[f] * q[f]};
  });
}

}  // namespace

template <class Space>
WallForces<Space>::WallForces(const UnstructuredMesh& mesh, const CompressibleCase& c,
                              const std::vector<FlowBoundary>& boundary, const MeshRanks* ranks)
    : ranks_(ranks ? &ranks->communicator : nullptr),
      is_turbulent_(c.turbulence.is_on),
      direction_{c.direction[0], c.direction[1]},
      free_pressure_(c.free_pressure()),
      reference_length_(c.reference_length) {
  for (std::size_t p = 0; p < boundary.size(); ++p) {
    if (!boundary[p].is_wall) continue;
    const Patch& patch = mesh.patches[p];
    Wall w;
    w.patch = static_cast<int>(p);
    WallSurface& s = w.surface;
    s.name = patch.name;
    s.result_name = boundary[p].result_name;
    s.is_viscous = boundary[p].is_viscous;
    const int own = ranks ? ranks->part.own_in_patch[p] : patch.count;
    w.whole_faces = patch.count;
    if (ranks) {
      w.map = RankMap(ranks->communicator, ranks->part.place_in_patch[p]);
      w.whole_faces = static_cast<int>(std::lround(ranks->communicator.sum(own)));
    }
    for (int f = patch.first; f < patch.first + own; ++f) {
      s.x.push_back(mesh.face_centre[f][0]);
      s.y.push_back(mesh.face_centre[f][1]);
      s.normal_x.push_back(mesh.normal[f][0]);
      s.normal_y.push_back(mesh.normal[f][1]);
      s.area.push_back(mesh.area[f]);
      const Point &x = mesh.face_centre[f], &centre = mesh.centre[mesh.owner[f]], &n = mesh.normal[f];
      w.height.push_back((x[0] - centre[0]) * n[0] + (x[1] - centre[1]) * n[1]);
    }
    std::vector<double> normal_arm, tangent_arm;
    for (std::size_t f = 0; f < s.x.size(); ++f) {
      const double x = s.x[f] - c.moment_centre[0], y = s.y[f] - c.moment_centre[1];
      normal_arm.push_back(x * s.normal_y[f] - y * s.normal_x[f]);
      tangent_arm.push_back(x * s.normal_x[f] + y * s.normal_y[f]);
    }
    w.normal_arm = Array<double, Space>(normal_arm);
    w.tangent_arm = Array<double, Space>(tangent_arm);
    w.normal_x = Array<double, Space>(s.normal_x);
    w.normal_y = Array<double, Space>(s.normal_y);
    w.area = Array<double, Space>(s.area);
    for (auto* a : {&w.pressure, &w.shear, &w.heat, &w.wall_unit}) *a = Array<double, Space>(own);
    walls_.push_back(std::move(w));
    of_walls_.emplace_back();
  }
}

template <class Space>
Forces WallForces<Space>::measure(Discretisation<Space>& space, View<const double> U) {
  Forces total;
  const double scale = 2 / reference_length_, dx = direction_[0], dy = direction_[1];
  for (std::size_t k = 0; k < walls_.size(); ++k) {
    Wall& w = walls_[k];
    evaluate(space, U, w);
    const Pair p = resolved(w.normal_x, w.normal_y, w.area, w.pressure, free_pressure_, false, dx, dy);
    const Pair s = w.surface.is_viscous ? resolved(w.normal_x, w.normal_y, w.area, w.shear, 0.0, true, dx, dy) : Pair{};
    const Pair m = moment_and_heat(w.normal_arm, w.tangent_arm, w.area, w.pressure, free_pressure_, w.shear, w.heat);
    double mine[] = {scale * p.a, scale * s.a, scale * p.b, scale * s.b, scale / reference_length_ * m.a, scale * m.b};
    if (ranks_) ranks_->sum(mine);
    of_walls_[k] = {mine[0], mine[1], mine[2], mine[3], mine[4], mine[5]};
    total.drag_pressure += mine[0];
    total.drag_viscous += mine[1];
    total.lift_pressure += mine[2];
    total.lift_viscous += mine[3];
    total.moment += mine[4];
    total.heat += mine[5];
  }
  return total;
}

template <class Space>
std::vector<WallSurface> WallForces<Space>::surfaces(Discretisation<Space>& space, View<const double> U) {
  std::vector<WallSurface> all;
  for (Wall& w : walls_) {
    evaluate(space, U, w);
    WallSurface s = w.surface;
    s.cp = w.pressure.to_vector();
    for (double& p : s.cp) p = 2 * (p - free_pressure_);
    if (s.is_viscous) {
      s.cf = w.shear.to_vector();
      s.heat = w.heat.to_vector();
      for (std::size_t f = 0; f < s.cf.size(); ++f) {
        const double along = -s.normal_y[f] * direction_[0] + s.normal_x[f] * direction_[1];
        s.cf[f] *= along >= 0 ? 2 : -2;
        s.heat[f] *= 2;
      }
      if (is_turbulent_) s.y_plus = w.wall_unit.to_vector();
      for (std::size_t f = 0; f < s.y_plus.size(); ++f) s.y_plus[f] *= w.height[f];
    }
    if (ranks_)
      for (auto* values : {&s.x, &s.y, &s.normal_x, &s.normal_y, &s.area, &s.cp, &s.cf, &s.heat})
        if (s.is_viscous || (values != &s.cf && values != &s.heat)) *values = gathered(w, *values);
    if (ranks_ && s.is_viscous && is_turbulent_) s.y_plus = gathered(w, s.y_plus);
    all.push_back(std::move(s));
  }
  return all;
}

template <class Space>
std::vector<double> WallForces<Space>::gathered(const Wall& w, const std::vector<double>& mine) const {
  std::vector<double> whole(ranks_->is_root() ? static_cast<std::size_t>(w.whole_faces) : 0);
  w.map.gather(mine, whole);
  return whole;
}

double separation_point(const WallSurface& s) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  if (s.cf.empty()) return none;
  std::vector<std::size_t> upper;
  for (std::size_t f = 0; f < s.x.size(); ++f)
    if (s.normal_y[f] < 0) upper.push_back(f);
  std::ranges::sort(upper, [&](std::size_t a, std::size_t b) { return s.x[a] < s.x[b]; });
  const auto largest = std::ranges::max_element(upper, [&](std::size_t a, std::size_t b) { return s.cf[a] < s.cf[b]; });
  for (auto f = largest; f != upper.end() && f + 1 != upper.end(); ++f) {
    const double here = s.cf[*f], next = s.cf[*(f + 1)];
    if (here > 0 && next <= 0) return s.x[*f] + (s.x[*(f + 1)] - s.x[*f]) * here / (here - next);
  }
  return none;
}

template class WallForces<Host>;
template class WallForces<Device>;

}  // namespace weir
