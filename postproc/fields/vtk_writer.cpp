// The .vtr as VTK's XML formats define it: a header, then the arrays as raw appended bytes, each behind its length (UInt64).
// Format: "VTK XML file formats", The VTK User's Guide, chapter 19. Written without the VTK library, which costs 20 MB of
// memory at 64^3 (13 MB to load, the rest copies of the fields); the tests read the files back with it.
#include <fmt/format.h>

#include <bit>
#include <vector>

#include "postproc/fields/vtk.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

std::size_t slab_cells(const Picture& p) {
  return static_cast<std::size_t>(p.cells(0)) * static_cast<std::size_t>(p.cells(1));
}

std::uint64_t field_bytes(const Picture& p, const CellField& f) {
  return slab_cells(p) * static_cast<std::size_t>(p.cells(2)) * static_cast<std::size_t>(f.components) * sizeof(float);
}

std::string header(const Picture& p) {
  std::uint64_t offset = 0;
  const auto array = [&](std::string_view type, std::string_view attributes, std::uint64_t bytes) {
    const std::string element = fmt::format("        <DataArray type=\"{}\" {} format=\"appended\" offset=\"{}\"/>\n",
                                            type, attributes, offset);
    offset += sizeof(std::uint64_t) + bytes;
    return element;
  };
  static_assert(std::endian::native == std::endian::little);
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", p.cells(0), p.cells(1), p.cells(2));
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"RectilinearGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "  <RectilinearGrid WholeExtent=\"{}\">\n    <FieldData>\n",
      extent);
  text += array("Float64", "Name=\"TimeValue\" NumberOfTuples=\"1\"", sizeof(double));
  text += fmt::format("    </FieldData>\n    <Piece Extent=\"{}\">\n      <PointData/>\n      <CellData>\n", extent);
  for (const CellField& f : p.fields)
    text +=
        array("Float32", fmt::format("Name=\"{}\" NumberOfComponents=\"{}\"", f.name, f.components), field_bytes(p, f));
  text += "      </CellData>\n      <Coordinates>\n";
  const char* names = "xyz";
  for (std::size_t d = 0; d < 3; ++d)
    text += array("Float64", fmt::format("Name=\"{}\"", names[d]), p.faces[d].size_bytes());
  return text + "      </Coordinates>\n    </Piece>\n  </RectilinearGrid>\n  <AppendedData encoding=\"raw\">\n   _";
}

void write_block(OutputFile& file, const void* data, std::uint64_t bytes) {
  file.write(&bytes, sizeof bytes);
  file.write(data, bytes);
}

}  // namespace

void write_rectilinear(const std::string& path, const Picture& picture) {
  write_aside(path, [&](const std::string& temporary) {
    OutputFile file(temporary);
    file.write(header(picture));
    write_block(file, &picture.time, sizeof picture.time);
    for (const CellField& field : picture.fields) {
      const std::uint64_t bytes = field_bytes(picture, field);
      file.write(&bytes, sizeof bytes);
      std::vector<double> slab(slab_cells(picture) * static_cast<std::size_t>(field.components));
      std::vector<float> single(slab.size());
      for (int k = 0; k < picture.cells(2); ++k) {
        field.fill(k, slab);
        for (std::size_t i = 0; i < slab.size(); ++i) single[i] = static_cast<float>(slab[i]);
        file.write(single.data(), single.size() * sizeof(float));
      }
    }
    for (const auto& faces : picture.faces) write_block(file, faces.data(), faces.size_bytes());
    file.write("\n  </AppendedData>\n</VTKFile>\n");
    file.close();
  });
}

}  // namespace weir
