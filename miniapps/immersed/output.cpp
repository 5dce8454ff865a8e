#include "miniapps/immersed/output.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/at.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {

OutputField fluid_field(const WholeFlow& flow) {
  return cell_field(flow.layout, "fluid", 1, [&flow](int, int i, int j, int k) {
    const int dim = flow.layout.dim;
    double sum = 0;
    for (int d = 0; d < dim; ++d) {
      const WholeField part = flow.more(at(d));
      sum += part(i, j, k) + part(i + (d == 0), j + (d == 1), k + (d == 2));
    }
    return sum / (2 * dim);
  });
}

namespace {

// Returns the nearest load of each element. The loads are sorted along x.
std::vector<const SurfaceLoad*> nearest_loads(const Surface& s, const std::vector<SurfaceLoad>& loads) {
  std::vector<const SurfaceLoad*> nearest(static_cast<std::size_t>(s.elements()));
#pragma omp parallel for schedule(static)
  for (int e = 0; e < s.elements(); ++e) {
    Vec3 x = centre(s, e);
    const auto first = std::ranges::lower_bound(loads, x[0], {}, [](const SurfaceLoad& l) { return l.point[0]; });
    double least = std::numeric_limits<double>::infinity();
    const auto look = [&](const SurfaceLoad& l) {  // false: all further ones are farther away
      Vec3 away = l.point - x;
      if (s.dimension == 2) away[2] = 0;
      if (away[0] * away[0] > least) return false;
      if (dot(away, away) < least) {
        least = dot(away, away);
        nearest[static_cast<std::size_t>(e)] = &l;
      }
      return true;
    };
    for (auto l = first; l != loads.end() && look(*l); ++l) {
    }
    for (auto l = first; l != loads.begin() && look(*(l - 1)); --l) {
    }
  }
  return nearest;
}

template <class Value>
void add_array(std::string& text, const std::string& name, int components, const std::vector<const SurfaceLoad*>& loads,
               const Value& value) {
  text += fmt::format("<DataArray type=\"Float32\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"ascii\">\n", name,
                      components);
  for (const SurfaceLoad* load : loads)
    for (int c = 0; c < components; ++c) text += fmt::format("{:.7g} ", value(*load, static_cast<std::size_t>(c)));
  text += "\n</DataArray>\n";
}

std::string element_data(const Surface& s, std::vector<SurfaceLoad> loads, const std::vector<std::string>& names) {
  if (loads.empty()) return "";
  std::ranges::stable_sort(loads, {}, [](const SurfaceLoad& l) { return l.point[0]; });
  const auto nearest = nearest_loads(s, loads);
  std::string text = "<CellData>\n";
  add_array(text, "pressure", 1, nearest, [](const SurfaceLoad& l, std::size_t) { return l.pressure; });
  add_array(text, "friction", 3, nearest, [](const SurfaceLoad& l, std::size_t c) { return l.friction[c]; });
  for (std::size_t i = 0; i < names.size(); ++i)
    add_array(text, names[i], 1, nearest, [i](const SurfaceLoad& l, std::size_t) { return l.scalar[i]; });
  return text + "</CellData>\n";
}

}  // namespace

void write_surface(const std::string& path, const Surface& s, std::vector<SurfaceLoad> loads,
                   const std::vector<std::string>& names) {
  const bool lines = s.dimension == 2;
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" byte_order=\"LittleEndian\">\n<PolyData>\n"
      "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" "
      "NumberOfPolys=\"{}\">\n"
      "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">\n",
      s.nodes(), lines ? s.elements() : 0, lines ? 0 : s.elements());
  for (const Vec3& x : s.node) text += fmt::format("{:.7g} {:.7g} {:.7g}\n", x[0], x[1], x[2]);
  text += fmt::format("</DataArray></Points>\n<{}><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">\n",
                      lines ? "Lines" : "Polys");
  for (const auto& e : s.element) {
    for (int q = 0; q < s.corners(); ++q) text += fmt::format("{} ", e[q]);
    text += "\n";
  }
  text += "</DataArray><DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">\n";
  for (int e = 1; e <= s.elements(); ++e) text += fmt::format("{}\n", e * s.corners());
  text += fmt::format("</DataArray></{}>\n{}</Piece>\n</PolyData>\n</VTKFile>\n", lines ? "Lines" : "Polys",
                      element_data(s, std::move(loads), names));
  write_text_aside(path, text);
}

void write_surface_coefficients(const std::string& path, const ImmersedCase& c, double velocity, const WholeFlow& flow,
                                std::vector<SurfaceLoad> loads) {
  const Grid& grid = c.flow.grid;
  double level = 0, area = 0;
  for (int k = 0; k < flow.layout.n[2]; ++k)
    for (int j = 0; j < flow.layout.n[1]; ++j) {
      const double a = grid.line[1].width[j] * grid.line[2].width[k];
      level += a * flow.pressure()(0, j, k);
      area += a;
    }
  level /= area;
  const double unit = 0.5 * velocity * velocity;
  const bool is_flat = c.flow.dim() == 2;
  std::ranges::sort(loads, [&](const SurfaceLoad& a, const SurfaceLoad& b) {
    if (!is_flat) return a.point < b.point;
    const bool up_a = a.normal[1] > 0, up_b = b.normal[1] > 0;
    if (up_a != up_b) return up_a;
    return up_a ? a.point < b.point : b.point < a.point;
  });
  std::string text = is_flat ? "x,y,upper,cp,cf\n" : "x,y,z,cp\n";
  for (const SurfaceLoad& s : loads) {
    const double cp = (s.pressure - level) / unit;
    if (!is_flat) {
      text += fmt::format("{:.9g},{:.9g},{:.9g},{:.9g}\n", s.point[0], s.point[1], s.point[2], cp);
      continue;
    }
    const double side = s.normal[1] > 0 ? 1 : -1;
    const double cf = side * (s.friction[0] * s.normal[1] - s.friction[1] * s.normal[0]) / unit;
    text += fmt::format("{:.9g},{:.9g},{},{:.9g},{:.9g}\n", s.point[0], s.point[1], side > 0 ? 1 : 0, cp, cf);
  }
  write_text_aside(path, text);
}

std::map<std::string, double> mean_velocity(const ImmersedCase& c, const WholeFlow& flow) {
  std::map<std::string, double> all;
  for (int d = 0; d < c.flow.dim(); ++d) {
    const WholeField u = flow.component(d), part = flow.more(at(d));
    double sum = 0;
    flow.layout.for_cells([&](int i, int j, int k) {
      const int to[3] = {i + (d == 0), j + (d == 1), k + (d == 2)};
      const auto& line = c.flow.grid.line;
      const double volume = line[0].width[i] * line[1].width[j] * line[2].width[k];
      sum += 0.5 * volume * (part(i, j, k) * u(i, j, k) + part(to[0], to[1], to[2]) * u(to[0], to[1], to[2]));
    });
    all[std::string("mean_velocity_") + "xyz"[d]] = sum / c.flow.grid.volume();
  }
  return all;
}

double wake_length(const ImmersedCase& c, const WholeFlow& flow, const Surface& surface) {
  const Box3 box = bounding_box(surface.node);
  const SampledField u = sampled_fields(c.flow, flow).front();
  const double start = box.high[0], end = c.flow.grid.line[0].faces.back();
  const double y = 0.5 * (box.low[1] + box.high[1]);
  const double z = c.flow.dim() == 3 ? 0.5 * (box.low[2] + box.high[2]) : c.flow.grid.line[2].centre.front();
  constexpr double most = 1e5;  // samples: a grid may be longer than its finest cell by any factor
  const double h = std::max(0.5 * surface_spacing(c.flow.grid), (end - start) / most);
  bool back = false;
  double before = 0, x = start + 2 * h;
  for (int sample = 0; sample < static_cast<int>(most) && x < end; ++sample, x += h) {
    const double here = interpolate(u, {x, y, z});
    if (here < 0) back = true;
    if (back && here >= 0) return (x - h * here / (here - before) - start) / c.forces.length;
    before = here;
  }
  return 0;
}

}  // namespace weir
