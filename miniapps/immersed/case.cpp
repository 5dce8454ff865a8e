#include "miniapps/immersed/case.hpp"

#include <algorithm>
#include <limits>

namespace weir {
namespace {

void refuse_what_has_no_meaning(const Table& config, const ImmersedCase& c) {
  const Table flow = config.table("flow");
  if (c.flow.scheme != Scheme::fractional_step)
    flow.fail("scheme", "the immersed miniapp knows scheme = \"fractional_step\" alone");
  if (!(c.flow.viscosity > 0)) flow.fail("viscosity", "a body needs a positive viscosity");
  if (c.flow.has_exact()) flow.fail("exact", "an exact solution knows of no body");
  if (!config.has("body")) config.fail("body", "missing table [body]: what is in the flow");
}

// [body] control_volume = [x0, y0(, z0), x1, y1(, z1)], to the nearest faces; by default all but the outermost cells.
CellBox read_control_volume(const Table& body, const Grid& grid, int dim) {
  CellBox box;
  for (int d = 0; d < dim; ++d) {
    box.low[d] = 1;
    box.high[d] = grid.cells(d) - 1;
  }
  if (!body.has("control_volume")) return box;
  const auto list = body.get<std::vector<double>>("control_volume");
  if (list.size() != static_cast<std::size_t>(2 * dim))
    body.fail("control_volume",
              "control_volume must have " + std::to_string(2 * dim) + " numbers: its low and its high corner");
  for (int d = 0; d < dim; ++d) {
    const auto s = static_cast<std::size_t>(d);
    const auto& faces = grid.line[s].faces;
    const auto nearest = [&](double x) {
      const auto closer = [x](double a, double b) { return std::abs(a - x) < std::abs(b - x); };
      return static_cast<int>(std::min_element(faces.begin(), faces.end(), closer) - faces.begin());
    };
    box.low[d] = std::max(nearest(list[s]), 1);
    box.high[d] = std::min(nearest(list[s + static_cast<std::size_t>(dim)]), grid.cells(d) - 1);
    if (box.high[d] - box.low[d] < 4)
      body.fail("control_volume", "control_volume must be at least four cells wide, and lie inside the box");
  }
  return box;
}

double positive(const Table& t, const char* key, double fallback) {
  const double value = t.get<double>(key, fallback);
  if (!(value > 0) || !std::isfinite(value)) t.fail(key, std::string(key) + " must be positive");
  return value;
}

}  // namespace

int read_body_layers(const Table& config) {
  const Table ranks = config.table("ranks");
  const int layers = ranks.get<int>("body_layers", 0);
  if (layers < 0 || layers > 1000)
    ranks.fail("body_layers", "body_layers must lie between 1 and 1000, or be 0: as needed");
  return layers;
}

double surface_spacing(const Grid& grid) {
  double h = std::numeric_limits<double>::infinity();
  for (int d = 0; d < (grid.is_2d() ? 2 : 3); ++d)
    for (const double w : grid.line[static_cast<std::size_t>(d)].width) h = std::min(h, w);
  return h;
}

ImmersedCase read_immersed_case(const Table& config) {
  ImmersedCase c;
  c.flow = read_incompressible_case(config);
  refuse_what_has_no_meaning(config, c);
  const Table body = config.table("body");
  c.forces.velocity = positive(body, "reference_velocity", 1.0);
  c.forces.length = positive(body, "reference_length", 1.0);
  c.forces.area = positive(body, "reference_area", c.forces.length);
  const Table output = config.table("output");
  c.forces.average_from = output.get<double>("average_from", 0.0);
  c.forces.period = output.get<double>("forces_period", 0.0);
  if (!(c.forces.period >= 0)) output.fail("forces_period", "forces_period must not be negative (0: none)");
  c.forces.box = read_control_volume(body, c.flow.grid, c.flow.dim());
  return c;
}

}  // namespace weir
