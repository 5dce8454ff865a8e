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
