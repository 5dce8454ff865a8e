#include <algorithm>
#include <cmath>
#include <memory>

#include "base/error.hpp"
#include "mesh/body/distance/distance_of_all.hpp"
#include "mesh/body/extend.hpp"
#include "mesh/body/read_body.hpp"
#include "miniapps/immersed/case.hpp"

namespace weir {
namespace {

// A fixed body may be cut by walls and by planes of symmetry: the flow through other sides would depend on it.
void refuse_crossing(const Table& t, const Body& body, const IncompressibleCase& c) {
  if (!body.is_fixed() || body.is_cavity())
    t.fail("position", "a body that reaches beyond a side of the box must be fixed, with the fluid outside of it");
  const Box3 box = bounding_box(body.surface().node);
  for (const SidePatch& p : c.patches) {
    const auto d = static_cast<std::size_t>(p.side) / 2;
    if (static_cast<int>(d) >= c.dim()) continue;
    const auto& faces = c.grid.line[d].faces;
    const bool is_crossed = p.side % 2 ? box.high[d] > faces.back() : box.low[d] < faces.front();
    if (is_crossed && p.type != SidePatch::Type::wall && p.type != SidePatch::Type::slip)
      t.fail("position",
             "a body may reach beyond sides of type wall or slip only, in y or z; move it away from periodic sides");
  }
}

void refuse_outside(const Table& t, const Body& body, const IncompressibleCase& c) {
  const bool crosses = crosses_sides(body, c.grid, c.dim());
  if (crosses) refuse_crossing(t, body, c);
  const auto& line = c.grid.line;
  try {
    band_width(body, {PointLine(line[0].faces), PointLine(line[1].faces), PointLine(line[2].faces)}, 1, crosses);
  } catch (const Error& e) {
    t.fail("position", e.what());
  }
}

// A fixed body that ends on a wall or a slip side, or less than a few cells beyond it, is continued beyond it: its
// end is no surface in the fluid, and must not be the nearest one to nodes next to the side.
Body carried_beyond_sides(Body body, const IncompressibleCase& c) {
  if (!body.is_fixed() || body.is_cavity()) return body;
  constexpr double tie = 1e-6, reach = 3;  // in cells
  double widest = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(c.dim()); ++d)
    for (const double h : c.grid.line[d].width) widest = std::max(widest, h);
  for (int d = 1; d < std::min(c.dim(), body.surface().dimension); ++d)
    for (int end = 0; end < 2; ++end) {
      const SidePatch::Type type = c.side(d, end).type;
      if (type != SidePatch::Type::wall && type != SidePatch::Type::slip) continue;
      const auto axis = static_cast<std::size_t>(d);
      const GridLine& line = c.grid.line[axis];
      const double side = end ? line.faces.back() : line.faces.front(),
                   h = end ? line.width.back() : line.width.front();
      const Box3 box = bounding_box(body.surface().node);
      const double beyond = end ? box.high[axis] - side : side - box.low[axis];
      if (beyond < -tie * h || beyond > reach * widest) continue;
      if (auto s = extended_beyond(body.surface(), d, end ? 1 : -1, side, tie * h, 2 * reach * widest))
        body = Body(std::move(*s), {});
    }
  return body;
}

}  // namespace

bool crosses_sides(const Body& body, const Grid& grid, int dim) {
  const Box3 box = bounding_box(body.surface().node);
  const int across = std::min(dim, body.surface().dimension);
  for (std::size_t d = 1; d < static_cast<std::size_t>(across); ++d)
    if (box.low[d] < grid.line[d].faces.front() || box.high[d] > grid.line[d].faces.back()) return true;
  return false;
}

namespace {

Body read_one(const Table& t, const ImmersedCase& c, std::vector<std::string>* messages) {
  Body body = read_body(t, 0.5 * surface_spacing(c.flow.grid), messages);
  if (body.surface().dimension == 3 && c.flow.dim() == 2)
    t.fail("type", "a 3D body requires a 3D grid, with at least three cells in z");
  refuse_outside(t, body, c.flow);
  body = carried_beyond_sides(std::move(body), c.flow);
  if (!c.flow.scalars.empty() && body.has_openings())
    t.fail("type",
           "a ventricle does not support [temperature] and [scalar.NAME]: its openings have no condition for scalars");
  if (!body.is_fixed() && !body.has_openings() && (body.is_cavity() || !c.flow.has_outlet())) {
    // A volume that changes needs a way out.
    for (const double t_look : {0.1234, 0.7, 1.9}) {
      body.move(t_look);
      if (std::abs(body.volume_rate()) > 1e-9 * std::abs(body.volume()))
        t.fail("motion", "the volume of the body changes, but the fluid has no way out: one side must be an outlet");
    }
    body.move(0);
  }
  return body;
}

}  // namespace

Bodies read_case_bodies(const Table& config, const ImmersedCase& c, std::vector<std::string>* messages) {
  std::vector<Body> all;
  std::vector<std::string> names;
  for (const Table& t : body_tables(config)) {
    all.push_back(read_one(t, c, messages));
    names.push_back(c.bodies[all.size() - 1].name);
    if (all.size() > 1 && (all.back().is_cavity() || all.front().is_cavity()) &&
        !(all.back().is_fixed() && all.front().is_fixed()))
      t.fail("motion", "if the fluid is inside one body, all bodies must be fixed");
  }
  Bodies bodies(std::move(all), std::move(names));
  if (const Approach nearest = nearest_bodies(bodies, c); nearest.first >= 0 && nearest.gap < 0)
    body_tables(config)[static_cast<std::size_t>(nearest.second)].fail(
        "position", "the bodies " + bodies.name(static_cast<std::size_t>(nearest.first)) + " and " +
                        bodies.name(static_cast<std::size_t>(nearest.second)) +
                        " overlap: they must lie at least two cells apart");
  return bodies;
}

Approach nearest_bodies(const Bodies& bodies, const ImmersedCase& c) {
  if (bodies.size() == 1) return {};
  const Grid& grid = c.flow.grid;
  const auto crosses = [&](const Body& body) { return crosses_sides(body, grid, c.flow.dim()); };
  const std::vector<double> z = c.flow.dim() == 3 ? grid.line[2].faces : std::vector{grid.line[2].centre.front()};
  constexpr double reach = 2;  // in cells, so that both see the middle of a gap of less than two
  DistanceOfAll distance(grid.line[0].faces, grid.line[1].faces, z,
                         {.reach = reach, .is_part = std::ranges::any_of(bodies, crosses)});
  distance.update(bodies);
  return distance.nearest_bodies();
}

std::function<double(double)> body_rate(const Table& config, const ImmersedCase& c) {
  if (c.flow.time.dt > 0) return {};
  const auto bodies = std::make_shared<Bodies>(read_case_bodies(config, c));
  if (bodies->is_fixed()) return {};
  Vec3 inverse{};
  for (int d = 0; d < c.flow.dim(); ++d) {
    const auto& width = c.flow.grid.line[d].width;
    inverse[d] = 1 / *std::ranges::min_element(width);
  }
  return [bodies, inverse](double t) {
    bodies->move(t);
    double most = 0;
    for (const Body& body : *bodies)
      for (const Vec3& u : body.fluid_velocity())
        most = std::max(most, std::abs(u[0]) * inverse[0] + std::abs(u[1]) * inverse[1] + std::abs(u[2]) * inverse[2]);
    return most;
  };
}

}  // namespace weir
