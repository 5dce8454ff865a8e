// Checks of body and grid before the first step: resolution, gaps, and whether a moving body leaves the grid.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "miniapps/immersed/case.hpp"
#include "miniapps/structured/sides/read_sides.hpp"

namespace weir {
namespace {

constexpr double fewest = 2;  // cells across

Box3 box_of(const Body& body) { return body.exact() ? body.exact()->box() : bounding_box(body.surface().node); }

// The smallest cell next to the body.
Vec3 cells_beside(const Box3& box, const Grid& grid) {
  Vec3 h{};
  for (std::size_t d = 0; d < 3; ++d) {
    const GridLine& line = grid.line[d];
    h[d] = line.length();
    for (std::size_t i = 0; i < line.width.size(); ++i)
      if (line.faces[i] <= box.high[d] && line.faces[i + 1] >= box.low[d]) h[d] = std::min(h[d], line.width[i]);
  }
  return h;
}

// Along the axes of its own frame: a plate is thin however it is turned.
void look_at_thickness(const Body& body, const Grid& grid, std::vector<std::string>& warnings) {
  const Rotation& R = body.placement().rotation;
  std::vector<Vec3> own;
  for (const Vec3& x : body.surface().node) own.push_back(turned_back(R, x));
  const Box3 extent = bounding_box(own);
  const Vec3 h = cells_beside(box_of(body), grid);
  for (std::size_t a = 0; a < static_cast<std::size_t>(body.surface().dimension); ++a) {
    double cell = 0;
    for (std::size_t d = 0; d < 3; ++d) cell = std::max(cell, std::abs(R[d][a]) * h[d]);
    const double width = extent.high[a] - extent.low[a];
    if (width < fewest * cell)
      warnings.push_back(
          fmt::format("the body is {:.3g} thick along its {} axis, {:.2g} cells of {:.3g}: forces need ten or more",
                      width, "xyz"[a], width / cell, cell));
  }
}

void look_at_sides(const Body& body, const ImmersedCase& c, std::vector<std::string>& warnings) {
  const Box3 box = box_of(body);
  const std::string when = body.is_fixed() ? "" : fmt::format(" at t = {:.4g}", body.time());
  for (std::size_t d = 0; d < static_cast<std::size_t>(c.flow.dim()); ++d) {
    const GridLine& line = c.flow.grid.line[d];
    const double gap[2] = {box.low[d] - line.faces.front(), line.faces.back() - box.high[d]};
    const double between = gap[0] + gap[1], widest = std::max(line.width.front(), line.width.back());
    if (c.flow.is_periodic(static_cast<int>(d)) && !body.is_cavity() && between > 0 && between < fewest * widest)
      warnings.push_back(fmt::format(
          "the gap between the body and its periodic image along {} is {:.3g} wide{}, {:.2g} cells of {:.3g}", "xyz"[d],
          between, when, between / widest, widest));
    for (std::size_t end = 0; end < 2; ++end) {
      const std::string side = side_names[2 * d + end];
      const double h = end == 0 ? line.width.front() : line.width.back();
      if (gap[end] < 0 && d > 0 && body.is_fixed()) continue;  // it crosses the side
      if (gap[end] < 0) {
        warnings.push_back("the body leaves the grid through " + side + when +
                           ": the run will stop then, because moving bodies cannot cross sides" +
                           (c.flow.is_periodic(static_cast<int>(d)) ? ", periodic ones included" : ""));
        return;
      }
      if (std::abs(gap[end]) <= 1e-6 * h && !body.is_cavity() && !c.flow.is_periodic(static_cast<int>(d)))
        warnings.push_back(
            fmt::format("the body touches {}{}: the flow in the wedge between them is not resolved", side, when));
      else if (gap[end] > 1e-9 * h && gap[end] < fewest * h && !body.is_cavity() &&
               !c.flow.is_periodic(static_cast<int>(d)))
        warnings.push_back(fmt::format("the gap between the body and {} is {:.3g} wide{}, {:.2g} cells of {:.3g}", side,
                                       gap[end], when, gap[end] / h, h));
    }
  }
}

// A part of the body beyond a face of the control volume does not contribute to its force, unless the face is a side of
// the grid.
void look_at_control_volume(const Body& body, const ImmersedCase& c, std::vector<std::string>& warnings) {
  if (body.is_cavity()) return;
  const Box3 box = box_of(body);
  const CellBox& volume = c.box;
  for (int d = 0; d < body.surface().dimension; ++d) {
    const std::vector<double>& faces = c.flow.grid.line[d].faces;
    const auto low = static_cast<std::size_t>(volume.low[d]), high = static_cast<std::size_t>(volume.high[d]);
    for (int end = 0; end < 2; ++end) {
      const double beyond = end == 0 ? faces[low] - std::max(box.low[d], faces.front())
                                     : std::min(box.high[d], faces.back()) - faces[high];
      const bool is_side = end == 0 ? low == 0 : high + 1 == faces.size();
      if (beyond <= 0 || is_side) continue;
      warnings.push_back(fmt::format(
          "the body reaches {:.3g} beyond {} of control_volume{}: drag_control_volume and lift_control_volume are "
          "forces on a part of it",
          beyond, side_names[2 * d + end], body.is_fixed() ? "" : fmt::format(" at t = {:.4g}", body.time())));
    }
  }
}

void look_at_gaps(const Bodies& bodies, const ImmersedCase& c, std::vector<std::string>& warnings) {
  const Approach nearest = nearest_bodies(bodies, c);
  if (nearest.first < 0) return;
  const auto a = static_cast<std::size_t>(nearest.first), b = static_cast<std::size_t>(nearest.second);
  const Vec3 cells = cells_beside(box_of(bodies[a]), c.flow.grid);
  const double h = std::max(cells[0], cells[1]);
  const std::string when = bodies.is_fixed() ? "" : fmt::format(" at t = {:.4g}", bodies[a].time());
  if (nearest.gap < 0)
    warnings.push_back(
        fmt::format("the bodies {} and {} overlap{}: the run will stop then", bodies.name(a), bodies.name(b), when));
  else if (nearest.gap < fewest * h)
    warnings.push_back(
        fmt::format("the gap between the bodies {} and {} is about {:.3g} wide{}, {:.2g} cells of {:.3g}",
                    bodies.name(a), bodies.name(b), nearest.gap, when, nearest.gap / h, h));
}

}  // namespace

std::vector<std::string> body_warnings(Bodies& bodies, const ImmersedCase& c) {
  std::vector<std::string> warnings;
  for (const Body& body : bodies) look_at_thickness(body, c.flow.grid, warnings);
  constexpr int looks = 16;
  const auto look_at_each = [&](const auto& look) {
    return [&](const Bodies& all, std::vector<std::string>& found) {
      for (const Body& body : all) look(body, c, found);
    };
  };
  const std::function<void(const Bodies&, std::vector<std::string>&)> looks_at[] = {
      look_at_each(look_at_sides), look_at_each(look_at_control_volume),
      [&](const Bodies& all, std::vector<std::string>& found) { look_at_gaps(all, c, found); }};
  for (const auto& look : looks_at) {
    look(bodies, warnings);
    for (int k = 1; k <= looks && warnings.empty() && !bodies.is_fixed(); ++k) {
      bodies.move(c.flow.time.end * (k - 0.382) / looks);  // which no period divides
      look(bodies, warnings);
    }
    bodies.move(0);
  }
  if (c.forces.average_from > c.flow.time.end)
    warnings.push_back(
        "average_from lies after time.end: means and amplitudes of the forces are those of the last step");
  return warnings;
}

}  // namespace weir
