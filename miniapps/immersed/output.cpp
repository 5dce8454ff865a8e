#include "miniapps/immersed/output.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "postproc/run/write_aside.hpp"

namespace weir {

OutputField fluid_field(const Layout& layout, const FluidParts& parts) {
  return cell_field(layout, "fluid", 1, [layout, &parts](int, int i, int j, int k) {
    const int p = layout.padded_index(i, j, k);
    double sum = 0;
    for (int d = 0; d < layout.dim; ++d) sum += parts[d][p] + parts[d][p + layout.stride(d)];
    return sum / (2 * layout.dim);
  });
}

void write_surface(const std::string& path, const Surface& s) {
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
  text += fmt::format("</DataArray></{}>\n</Piece>\n</PolyData>\n</VTKFile>\n", lines ? "Lines" : "Polys");
  write_text_aside(path, text);
}

void write_surface_coefficients(const std::string& path, const ImmersedCase& c, double velocity, const Flow<Host>& flow,
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
  std::sort(loads.begin(), loads.end(), [&](const SurfaceLoad& a, const SurfaceLoad& b) {
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

double wake_length(const ImmersedCase& c, const Flow<Host>& flow, const Surface& surface) {
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
