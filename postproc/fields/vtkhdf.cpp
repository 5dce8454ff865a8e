#include "postproc/fields/vtkhdf.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "postproc/hdf5_id.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

using hdf5::Id;
using Extent = std::vector<hsize_t>;  // slowest dimension first

// Writes some values of an array, from value `first` on.
template <class T>
using Fill = std::function<void(std::size_t first, std::span<T> values)>;

template <class T>
hid_t type_of() {
  static_assert(std::endian::native == std::endian::little);
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, std::int32_t>) return H5T_NATIVE_INT32;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_NATIVE_UINT8;
}

// HDF5 interprets these two characters as parts of a path.
std::string array_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '.'; }, '_');
  return name;
}

class File {
 public:
  explicit File(const std::string& path)
      : path_(path),
        file_((hdf5::start(), H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)), H5Fclose) {
    check(file_);
  }
  Id group(hid_t in, const char* name) const {
    Id g(H5Gcreate2(in, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    check(g);
    return g;
  }
  Id root() const { return group(file_, "VTKHDF"); }

  template <class T>
  void attribute(hid_t object, const char* name, const std::vector<T>& values) const {
    const hsize_t n = values.size();
    const Id space(n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, nullptr), H5Sclose);
    attribute(object, name, type_of<T>(), space, values.data());
  }
  void attribute(hid_t object, const char* name, std::string_view text) const {
    const Id type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
    H5Tset_size(type, text.size());
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    attribute(object, name, type, space, text.data());
  }

  template <class T>
  void array(hid_t in, const std::string& name, const Extent& extent, const Fill<T>& fill) const {
    constexpr hsize_t values_at_once = 65536;  // a chunk of the file
    hsize_t row = 1;
    for (std::size_t d = 1; d < extent.size(); ++d) row *= extent[d];
    const hsize_t rows = std::clamp<hsize_t>(values_at_once / row, 1, std::max<hsize_t>(extent[0], 1));
    Extent chunk = extent, first(extent.size(), 0);
    chunk[0] = rows;
    const Id list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(list, static_cast<int>(chunk.size()), chunk.data());
    H5Pset_shuffle(list);
    H5Pset_deflate(list, 1);
    H5Pset_obj_track_times(list, false);  // equal contents make equal files
    const Id space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose);
    Id set(H5Dcreate2(in, name.c_str(), type_of<T>(), space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose);
    check(set);
    std::vector<T> values(rows * row);
    for (; first[0] < extent[0]; first[0] += rows) {
      chunk[0] = std::min(rows, extent[0] - first[0]);
      const hsize_t count = chunk[0] * row;
      fill(first[0] * row, std::span(values).first(count));
      const Id memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
      H5Sselect_hyperslab(space, H5S_SELECT_SET, first.data(), nullptr, chunk.data(), nullptr);
      check(H5Dwrite(set, type_of<T>(), memory, space, H5P_DEFAULT, values.data()));
    }
    hdf5::close_written(set, path_);
  }
  // value(i) of each value.
  template <class T, class Value>
  void list(hid_t in, const char* name, const Extent& extent, const Value& value) const {
    array<T>(in, name, extent, [&](std::size_t first, std::span<T> values) {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(value(first + i));
    });
  }

  void fields(hid_t root, const char* group_name, const std::vector<OutputField>& fields, const Extent& extent) const {
    const Id group = this->group(root, group_name);
    for (const OutputField& f : fields)
      f.is_integer ? field<std::int32_t>(group, f, extent) : field<float>(group, f, extent);
  }
  void close() {
    check(H5Fflush(file_, H5F_SCOPE_GLOBAL));
    hdf5::close_written(file_, path_);
  }

 private:
  void check(long long status) const { hdf5::check_write(status, path_); }

  void attribute(hid_t object, const char* name, hid_t type, hid_t space, const void* values) const {
    Id a(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(a);
    check(H5Awrite(a, type, values));
    hdf5::close_written(a, path_);
  }

  template <class T>
  void field(hid_t group, const OutputField& f, Extent extent) const {
    if (f.components > 1) extent.push_back(static_cast<hsize_t>(f.components));
    std::vector<double> values;
    array<T>(group, array_name(f.name), extent, [&](std::size_t first, std::span<T> out) {
      values.resize(out.size());
      f.fill(first / static_cast<std::size_t>(f.components), values);
      std::transform(values.begin(), values.end(), out.begin(), [](double v) { return static_cast<T>(v); });
    });
  }

  std::string path_;
  Id file_;
};

// The group of steps, which gives readers the time; of a mesh also where the arrays of the step begin.
void write_step(const File& file, hid_t root, double time, const MeshPicture* mesh) {
  const Id steps = file.group(root, "Steps");
  file.attribute<std::int64_t>(steps, "NSteps", {1});
  file.list<double>(steps, "Values", {1}, [=](std::size_t) { return time; });
  if (!mesh) return;
  const auto number = [&](hid_t in, const char* name, const Extent& extent, int value) {
    file.list<std::int64_t>(in, name, extent, [=](std::size_t) { return value; });
  };
  number(steps, "PartOffsets", {1}, 0);
  number(steps, "NumberOfParts", {1}, 1);
  number(steps, "PointOffsets", {1}, 0);
  for (const char* name : {"CellOffsets", "ConnectivityIdOffsets"}) number(steps, name, {1, 1}, 0);
  const Id of_cells = file.group(steps, "CellDataOffsets"), of_nodes = file.group(steps, "PointDataOffsets");
  for (const auto& f : mesh->cell_fields) number(of_cells, array_name(f.name).c_str(), {1}, 0);
  for (const auto& f : mesh->node_fields) number(of_nodes, array_name(f.name).c_str(), {1}, 0);
}

void write_aside_checked(const std::string& path, std::size_t most_bytes, const std::function<void(File&)>& write) {
  write_aside(
      path,
      [&](const std::string& temporary) {
        reserve_file(temporary, static_cast<std::int64_t>(most_bytes));  // HDF5 handles a full disk badly
        File file(temporary);
        write(file);
        file.close();
      },
      Sync::later);
}

std::size_t bytes_of(const std::vector<OutputField>& fields, std::size_t items) {
  std::size_t bytes = 65536;
  for (const OutputField& f : fields) bytes += items * static_cast<std::size_t>(f.components) * sizeof(float) + 4096;
  return bytes;
}

bool are_equal_steps(std::span<const double> faces) {
  const double n = static_cast<double>(faces.size() - 1), length = faces.back() - faces.front();
  for (std::size_t i = 0; i < faces.size(); ++i)
    if (std::abs(faces[i] - faces[0] - length * static_cast<double>(i) / n) > 1e-12 * length) return false;
  return true;
}

void write_image(const std::string& path, const Picture& p) {
  std::vector<std::int64_t> whole;
  std::vector<double> origin, spacing;
  Extent extent;
  for (const auto& faces : p.faces) {
    const std::size_t n = faces.size() - 1;
    whole.insert(whole.end(), {0, static_cast<std::int64_t>(n)});
    origin.push_back(faces.front());
    spacing.push_back((faces.back() - faces.front()) / static_cast<double>(n));
    extent.insert(extent.begin(), n);
  }
  write_aside_checked(path, bytes_of(p.fields, p.cells()), [&](File& file) {
    const Id root = file.root();
    file.attribute<std::int64_t>(root, "Version", {2, 0});
    file.attribute(root, "Type", "ImageData");
    file.attribute(root, "WholeExtent", whole);
    file.attribute(root, "Origin", origin);
    file.attribute(root, "Spacing", spacing);
    file.attribute<double>(root, "Direction", {1, 0, 0, 0, 1, 0, 0, 0, 1});
    file.fields(root, "CellData", p.fields, extent);
    write_step(file, root, p.time, nullptr);
  });
}

// point(node), corner(i) of all cells' corners in a row, first_corner(cell), type(cell) as VTK numbers them.
template <class Point, class Corner, class First, class Type>
void write_mesh(const std::string& path, const MeshPicture& p, std::size_t cells, std::size_t nodes,
                std::size_t corners, const Point& point, const Corner& corner, const First& first_corner,
                const Type& type) {
  const std::size_t mesh_bytes = 24 * nodes + 8 * corners + 9 * cells;
  const std::size_t most = mesh_bytes + bytes_of(p.cell_fields, cells) + bytes_of(p.node_fields, nodes);
  write_aside_checked(path, most, [&](File& file) {
    const Id root = file.root();
    file.attribute<std::int64_t>(root, "Version", {2, 0});
    file.attribute(root, "Type", "UnstructuredGrid");
    file.list<std::int64_t>(root, "NumberOfPoints", {1}, [=](std::size_t) { return nodes; });
    file.list<std::int64_t>(root, "NumberOfCells", {1}, [=](std::size_t) { return cells; });
    file.list<std::int64_t>(root, "NumberOfConnectivityIds", {1}, [=](std::size_t) { return corners; });
    file.list<double>(root, "Points", {nodes, 3}, [&](std::size_t i) { return point(i / 3)[i % 3]; });
    file.list<std::int64_t>(root, "Connectivity", {corners}, corner);
    file.list<std::int64_t>(root, "Offsets", {cells + 1}, first_corner);
    file.list<std::uint8_t>(root, "Types", {cells}, type);
    file.fields(root, "CellData", p.cell_fields, {cells});
    file.fields(root, "PointData", p.node_fields, {nodes});
    write_step(file, root, p.time, &p);
  });
}

void write_voxels(const std::string& path, const Picture& p) {
  constexpr int vtk_voxel = 11;
  const auto& [x, y, z] = p.faces;
  const std::size_t nx = x.size(), ny = y.size(), cells = p.cells();
  MeshPicture mesh;
  mesh.time = p.time;
  mesh.cell_fields = p.fields;
  write_mesh(
      path, mesh, cells, nx * ny * z.size(), 8 * cells,
      [&](std::size_t i) {
        return std::array{p.faces[0][i % nx], p.faces[1][i / nx % ny], p.faces[2][i / nx / ny]};
      },
      [&](std::size_t i) {
        const std::size_t cell = i / 8, c = i % 8, row = cell / (nx - 1);
        return (row / (ny - 1) + c / 4) * nx * ny + (row % (ny - 1) + c / 2 % 2) * nx + cell % (nx - 1) + c % 2;
      },
      [](std::size_t cell) { return 8 * cell; }, [](std::size_t) { return vtk_voxel; });
}

}  // namespace

bool vtkhdf_available() { return true; }

void write_vtkhdf(const std::string& path, const Picture& p) {
  std::ranges::all_of(p.faces, are_equal_steps) ? write_image(path, p) : write_voxels(path, p);
}

void write_vtkhdf(const std::string& path, const MeshPicture& p) {
  static constexpr int type[] = {0, 1, 3, 5, 9};  // by corners: vertex, line, triangle, quadrilateral
  write_mesh(
      path, p, p.cells(), p.nodes(), p.cell_node.size(),
      [&](std::size_t i) {
        return p.space_node.empty() ? std::array{p.node[i][0], p.node[i][1], 0.0} : p.space_node[i];
      },
      [&](std::size_t i) { return p.cell_node[i]; }, [&](std::size_t cell) { return p.cell_start[cell]; },
      [&](std::size_t cell) { return type[p.cell_start[cell + 1] - p.cell_start[cell]]; });
}

}  // namespace weir
