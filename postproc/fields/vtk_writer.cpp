#include "postproc/fields/vtk.hpp"
#include "postproc/fields/vtk_file.hpp"

namespace weir {

void write_rectilinear(const std::string& path, const Picture& p) {
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", p.cells(0), p.cells(1), p.cells(2));
  VtkFile file("RectilinearGrid", fmt::format(" WholeExtent=\"{}\"", extent), p.time);
  file.text(fmt::format("    <Piece Extent=\"{}\">\n      <PointData/>\n      <CellData>\n", extent));
  for (const CellField& f : p.fields) {
    const std::size_t slab_values = static_cast<std::size_t>(p.cells(0)) * static_cast<std::size_t>(p.cells(1)) *
                                    static_cast<std::size_t>(f.components);
    const auto write = [&p, &f, slab_values](OutputFile& out) {
      std::vector<double> slab(slab_values);
      std::vector<float> single(slab_values);
      for (int k = 0; k < p.cells(2); ++k) {
        f.fill(k, slab);
        for (std::size_t i = 0; i < slab_values; ++i) single[i] = static_cast<float>(slab[i]);
        out.write(single.data(), slab_values * sizeof(float));
      }
    };
    file.add("Float32", fmt::format("Name=\"{}\" NumberOfComponents=\"{}\"", f.name, f.components),
             slab_values * static_cast<std::size_t>(p.cells(2)) * sizeof(float), write);
  }
  file.text("      </CellData>\n      <Coordinates>\n");
  for (std::size_t d = 0; d < 3; ++d) file.add("Float64", fmt::format("Name=\"{}\"", "xyz"[d]), p.faces[d]);
  file.text("      </Coordinates>\n");
  file.write(path);
}

}  // namespace weir
