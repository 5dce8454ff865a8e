// Files of VTK's XML formats ("VTK XML file formats", The VTK User's Guide, chapter 19): a header, then the arrays as
// raw appended bytes, each after its length (UInt64). Written without the VTK library, which costs 20 MB of memory at
// 64^3 (13 MB to load, the rest copies of the fields); the tests read the files back with it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "postproc/fields/vtk.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

class VtkFile {
 public:
  // type: "RectilinearGrid". The header is closed by write().
  VtkFile(const std::string& type, const std::string& attributes, const double& time) : type_(type) {
    text(
        fmt::format("<?xml version=\"1.0\"?>\n<VTKFile type=\"{0}\" version=\"1.0\" byte_order=\"LittleEndian\" "
                    "header_type=\"UInt64\">\n  <{0}{1}>\n    <FieldData>\n",
                    type, attributes));
    add("Float64", "Name=\"TimeValue\" NumberOfTuples=\"1\"", std::span(&time, 1));
    text("    </FieldData>\n");
  }
  void text(const std::string& words) { header_ += words; }

  // Arrays, in the order in which their bytes will follow.
  void add(std::string_view type, std::string_view attributes, std::uint64_t bytes,
           std::function<void(OutputFile&)> write) {
    header_ += fmt::format("        <DataArray type=\"{}\" {} format=\"appended\" offset=\"{}\"/>\n", type, attributes,
                           offset_);
    offset_ += sizeof bytes + bytes;
    blocks_.push_back({bytes, std::move(write)});
  }
  // The values must stay in place until write().
  template <class T>
  void add(std::string_view type, std::string_view attributes, std::span<const T> values) {
    add(type, attributes, values.size_bytes(),
        [values](OutputFile& file) { file.write(values.data(), values.size_bytes()); });
  }

  // Writes aside and renames. Throws Error(Exit::file_io) with path and reason.
  void write(const std::string& path) const {
    static_assert(std::endian::native == std::endian::little);
    write_aside(
        path,
        [&](const std::string& temporary) {
          OutputFile file(temporary);
          file.write(header_ + "    </Piece>\n  </" + type_ + ">\n  <AppendedData encoding=\"raw\">\n   _");
          for (const Block& block : blocks_) {
            file.write(&block.bytes, sizeof block.bytes);
            block.write(file);
          }
          file.write("\n  </AppendedData>\n</VTKFile>\n");
          file.close();
        },
        Sync::later);
  }

 private:
  struct Block {
    std::uint64_t bytes;
    std::function<void(OutputFile&)> write;
  };
  std::string type_, header_;
  std::uint64_t offset_ = 0;
  std::vector<Block> blocks_;
};

constexpr std::size_t stretch = 4096;  // items converted at a time

// n items of `width` values of type T, converted in pieces by fill(first, span of T).
template <class T, class Fill>
auto converted(std::size_t n, std::size_t width, Fill fill) {
  return [=](OutputFile& file) {
    std::vector<T> values(std::min(n, stretch) * width);
    for (std::size_t first = 0; first < n; first += stretch) {
      const std::size_t count = std::min(stretch, n - first) * width;
      fill(first, std::span<T>(values).first(count));
      file.write(values.data(), count * sizeof(T));
    }
  };
}

template <class T>
auto field_values(const OutputField& field, std::size_t n) {
  return converted<T>(n, static_cast<std::size_t>(field.components), [&field](std::size_t first, std::span<T> out) {
    std::vector<double> values(out.size());
    field.fill(first, values);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(values[i]);
  });
}

void add_fields(VtkFile& file, const std::vector<OutputField>& fields, std::size_t n) {
  static_assert(sizeof(float) == sizeof(std::int32_t));
  for (const OutputField& f : fields) {
    const std::string attributes = fmt::format("Name=\"{}\" NumberOfComponents=\"{}\"", f.name, f.components);
    const std::uint64_t bytes = n * static_cast<std::size_t>(f.components) * sizeof(float);
    if (f.is_integer)
      file.add("Int32", attributes, bytes, field_values<std::int32_t>(f, n));
    else
      file.add("Float32", attributes, bytes, field_values<float>(f, n));
  }
}

void add_mesh(VtkFile& file, const MeshPicture& p) {
  file.text("      <Points>\n");
  const bool is_flat = p.space_node.empty();
  file.add("Float64", "Name=\"Points\" NumberOfComponents=\"3\"", p.nodes() * 3 * sizeof(double),
           converted<double>(p.nodes(), 3, [&p, is_flat](std::size_t first, std::span<double> out) {
             for (std::size_t i = 0; i < out.size() / 3; ++i)
               for (std::size_t d = 0; d < 3; ++d)
                 out[3 * i + d] = !is_flat ? p.space_node[first + i][d] : d < 2 ? p.node[first + i][d] : 0;
           }));
  file.text("      </Points>\n      <Cells>\n");
  file.add("Int32", "Name=\"connectivity\"", p.cell_node);
  file.add("Int32", "Name=\"offsets\"", p.cell_start.subspan(1));
  static constexpr std::uint8_t type[] = {0, 1, 3, 5, 9};  // by corners: VTK_VERTEX, VTK_LINE, VTK_TRIANGLE, VTK_QUAD
  file.add("UInt8", "Name=\"types\"", p.cells(),
           converted<std::uint8_t>(p.cells(), 1, [&p](std::size_t first, std::span<std::uint8_t> out) {
             for (std::size_t i = 0; i < out.size(); ++i)
               out[i] = type[p.cell_start[first + i + 1] - p.cell_start[first + i]];
           }));
  file.text("      </Cells>\n");
}

}  // namespace

void write_rectilinear(const std::string& path, const Picture& p) {
  const auto& [x, y, z] = p.faces;
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", x.size() - 1, y.size() - 1, z.size() - 1);
  VtkFile file("RectilinearGrid", fmt::format(" WholeExtent=\"{}\"", extent), p.time);
  file.text(fmt::format("    <Piece Extent=\"{}\">\n      <PointData/>\n      <CellData>\n", extent));
  add_fields(file, p.fields, p.cells());
  file.text("      </CellData>\n      <Coordinates>\n");
  for (std::size_t d = 0; d < 3; ++d) file.add("Float64", fmt::format("Name=\"{}\"", "xyz"[d]), p.faces[d]);
  file.text("      </Coordinates>\n");
  file.write(path);
}

void write_unstructured(const std::string& path, const MeshPicture& p) {
  VtkFile file("UnstructuredGrid", "", p.time);
  file.text(
      fmt::format("    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n      <PointData>\n", p.nodes(), p.cells()));
  add_fields(file, p.node_fields, p.nodes());
  file.text("      </PointData>\n      <CellData>\n");
  add_fields(file, p.cell_fields, p.cells());
  file.text("      </CellData>\n");
  add_mesh(file, p);
  file.write(path);
}

OutputField output_field(std::string name, int components, std::span<const double> values) {
  return {std::move(name), components, false, [=](std::size_t first, std::span<double> out) {
            const auto source = values.subspan(first * static_cast<std::size_t>(components), out.size());
            std::copy(source.begin(), source.end(), out.begin());
          }};
}

OutputField output_field(std::string name, std::span<const int> values) {
  return {std::move(name), 1, true, [=](std::size_t first, std::span<double> out) {
            const auto source = values.subspan(first, out.size());
            std::copy(source.begin(), source.end(), out.begin());
          }};
}

OutputField output_field(std::string name, int components, std::function<double(std::size_t, int)> value) {
  return {std::move(name), components, false,
          [components, value = std::move(value)](std::size_t item, std::span<double> out) {
            for (std::size_t i = 0; i < out.size(); ++item)
              for (int c = 0; c < components; ++c) out[i++] = value(item, c);
          }};
}

}  // namespace weir
