// The .vtu as VTK's XML formats define it, laid out as the .vtr of vtk_writer.cpp is: a header, then the arrays as raw
// appended bytes, each behind its length (UInt64). Format: "VTK XML file formats", The VTK User's Guide, chapter 19.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "postproc/fields/vtu.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

constexpr std::size_t stretch = 4096;  // items converted at a time

// The arrays of a file, in the order in which their bytes will follow.
class Arrays {
 public:
  void text(std::string words) { header_ += std::move(words); }

  void add(std::string_view type, std::string_view attributes, std::uint64_t bytes,
           std::function<void(OutputFile&)> write) {
    header_ += fmt::format("        <DataArray type=\"{}\" {} format=\"appended\" offset=\"{}\"/>\n", type, attributes,
                           offset_);
    offset_ += sizeof bytes + bytes;
    blocks_.push_back({bytes, std::move(write)});
  }

  void write(OutputFile& file) const {
    static_assert(std::endian::native == std::endian::little);
    file.write(header_);
    for (const Block& block : blocks_) {
      file.write(&block.bytes, sizeof block.bytes);
      block.write(file);
    }
  }

 private:
  struct Block {
    std::uint64_t bytes;
    std::function<void(OutputFile&)> write;
  };
  std::string header_;
  std::uint64_t offset_ = 0;
  std::vector<Block> blocks_;
};

// n items of `width` values of type T, converted a stretch at a time by fill(first, span of T).
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
auto field_values(const MeshField& field, std::size_t n) {
  return converted<T>(n, static_cast<std::size_t>(field.components), [&field](std::size_t first, std::span<T> out) {
    std::vector<double> values(out.size());
    field.fill(first, values);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(values[i]);
  });
}

void add_fields(Arrays& arrays, const std::vector<MeshField>& fields, std::size_t n) {
  static_assert(sizeof(float) == sizeof(std::int32_t));
  for (const MeshField& f : fields) {
    const std::string attributes = fmt::format("Name=\"{}\" NumberOfComponents=\"{}\"", f.name, f.components);
    const std::uint64_t bytes = n * static_cast<std::size_t>(f.components) * sizeof(float);
    if (f.is_integer)
      arrays.add("Int32", attributes, bytes, field_values<std::int32_t>(f, n));
    else
      arrays.add("Float32", attributes, bytes, field_values<float>(f, n));
  }
}

void add_mesh(Arrays& arrays, const MeshPicture& p) {
  arrays.text("      <Points>\n");
  const bool is_flat = p.space_node.empty();
  arrays.add("Float64", "Name=\"Points\" NumberOfComponents=\"3\"", p.nodes() * 3 * sizeof(double),
             converted<double>(p.nodes(), 3, [&p, is_flat](std::size_t first, std::span<double> out) {
               for (std::size_t i = 0; i < out.size() / 3; ++i)
                 for (std::size_t d = 0; d < 3; ++d)
                   out[3 * i + d] = !is_flat ? p.space_node[first + i][d] : d < 2 ? p.node[first + i][d] : 0;
             }));
  arrays.text("      </Points>\n      <Cells>\n");
  arrays.add("Int32", "Name=\"connectivity\"", p.cell_node.size_bytes(),
             [&p](OutputFile& file) { file.write(p.cell_node.data(), p.cell_node.size_bytes()); });
  const auto ends = p.cell_start.subspan(1);
  arrays.add("Int32", "Name=\"offsets\"", ends.size_bytes(),
             [ends](OutputFile& file) { file.write(ends.data(), ends.size_bytes()); });
  static constexpr std::uint8_t type[] = {0, 1, 3, 5, 9};  // by corners: VTK_VERTEX, VTK_LINE, VTK_TRIANGLE, VTK_QUAD
  arrays.add("UInt8", "Name=\"types\"", p.cells(),
             converted<std::uint8_t>(p.cells(), 1, [&p](std::size_t first, std::span<std::uint8_t> out) {
               for (std::size_t i = 0; i < out.size(); ++i)
                 out[i] = type[p.cell_start[first + i + 1] - p.cell_start[first + i]];
             }));
  arrays.text("      </Cells>\n");
}

}  // namespace

void write_unstructured(const std::string& path, const MeshPicture& p) {
  Arrays arrays;
  arrays.text(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "  <UnstructuredGrid>\n    <FieldData>\n");
  arrays.add("Float64", "Name=\"TimeValue\" NumberOfTuples=\"1\"", sizeof p.time,
             [&p](OutputFile& file) { file.write(&p.time, sizeof p.time); });
  arrays.text(
      fmt::format("    </FieldData>\n    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n      <PointData>\n",
                  p.nodes(), p.cells()));
  add_fields(arrays, p.node_fields, p.nodes());
  arrays.text("      </PointData>\n      <CellData>\n");
  add_fields(arrays, p.cell_fields, p.cells());
  arrays.text("      </CellData>\n");
  add_mesh(arrays, p);
  arrays.text("    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n   _");
  write_aside(path, [&](const std::string& temporary) {
    OutputFile file(temporary);
    arrays.write(file);
    file.write("\n  </AppendedData>\n</VTKFile>\n");
    file.close();
  });
}

MeshField mesh_field(std::string name, int components, std::span<const double> values) {
  return {std::move(name), components, false, [=](std::size_t first, std::span<double> out) {
            const auto source = values.subspan(first * static_cast<std::size_t>(components), out.size());
            std::copy(source.begin(), source.end(), out.begin());
          }};
}

MeshField mesh_field(std::string name, std::span<const int> values) {
  return {std::move(name), 1, true, [=](std::size_t first, std::span<double> out) {
            const auto source = values.subspan(first, out.size());
            std::copy(source.begin(), source.end(), out.begin());
          }};
}

MeshField mesh_field(std::string name, std::function<double(std::size_t)> value) {
  return {std::move(name), 1, false, [value = std::move(value)](std::size_t first, std::span<double> out) {
            for (std::size_t i = 0; i < out.size(); ++i) out[i] = value(first + i);
          }};
}

}  // namespace weir
