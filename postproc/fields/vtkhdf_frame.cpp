#include "postproc/fields/vtkhdf_frame.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/hash.hpp"

namespace weir {

using namespace hdf5;

namespace {

constexpr std::uint64_t items_at_once = 4096;

bool are_equal_steps(std::span<const double> faces) {
  const double n = static_cast<double>(faces.size() - 1), length = faces.back() - faces.front();
  for (std::size_t i = 0; i < faces.size(); ++i)
    if (std::abs(faces[i] - faces[0] - length * static_cast<double>(i) / n) > 1e-12 * length) return false;
  return true;
}

// An array of one component: value(item).
template <class T, class Value>
Source list(Element element, std::uint64_t items, Value value) {
  return {element, items, 1,
          [value](std::uint64_t first, std::size_t count, const std::vector<unsigned char*>& column) {
            for (std::size_t i = 0; i < count; ++i) {
              const T v = value(first + i);
              std::memcpy(column[0] + i * sizeof v, &v, sizeof v);
            }
          }};
}

// point(item) is its three coordinates.
template <class Point>
Source points(std::uint64_t items, Point point) {
  return {Element::float64, items, 3,
          [point](std::uint64_t first, std::size_t count, const std::vector<unsigned char*>& columns) {
            for (std::size_t i = 0; i < count; ++i) {
              const std::array<double, 3> x = point(first + i);
              for (std::size_t d = 0; d < 3; ++d) std::memcpy(columns[d] + i * sizeof x[d], &x[d], sizeof x[d]);
            }
          }};
}

template <class T>
void convert(const OutputField& field, std::uint64_t first, std::size_t count,
             const std::vector<unsigned char*>& columns) {
  const std::size_t width = columns.size();
  std::vector<double> values(std::min<std::size_t>(items_at_once, count) * width);
  for (std::size_t done = 0; done < count; done += items_at_once) {
    const std::size_t n = std::min<std::size_t>(items_at_once, count - done);
    field.fill(first + done, std::span(values).first(n * width));
    for (std::size_t c = 0; c < width; ++c)
      for (std::size_t i = 0; i < n; ++i) {
        const T v = static_cast<T>(values[i * width + c]);
        std::memcpy(columns[c] + (done + i) * sizeof v, &v, sizeof v);
      }
  }
}

// HDF5 takes these two for paths.
std::string array_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '.'; }, '_');
  return name;
}

}  // namespace

// The headers that will be appended behind what the file holds.
class VtkhdfFrame::Headers {
 public:
  explicit Headers(std::uint64_t base) : base_(base) {}
  std::uint64_t add(const Bytes& bytes) {
    const std::uint64_t at = base_ + all_.size();
    all_.bytes(bytes);
    return at;
  }
  template <class T>
  std::uint64_t add_list(Element element, const Dimensions& dimensions, const std::vector<T>& values) {
    Bytes raw;
    for (const T v : values) raw.add(v);
    const std::uint64_t at = add(raw);
    return add(
        object_header({dataspace(dimensions), datatype(element), fill_value({}, false), contiguous(at, raw.size())}));
  }
  // All the same number: nothing but the header.
  std::uint64_t add_constant(const Dimensions& dimensions, std::int64_t value) {
    std::uint64_t n = sizeof value;
    for (const std::uint64_t d : dimensions) n *= d;
    return add(object_header(
        {dataspace(dimensions), datatype(Element::int64), fill_value(value, false), contiguous(no_address, n)}));
  }
  std::uint64_t add_group(const std::vector<Link>& links, std::vector<Message> attributes = {}) {
    for (const auto& [name, address] : links) attributes.push_back(link(name, address));
    return add(object_header(group(std::move(attributes))));
  }
  std::uint64_t base() const { return base_; }
  Bytes& all() { return all_; }

 private:
  std::uint64_t base_;
  Bytes all_;
};

VtkhdfFrame::VtkhdfFrame(const Picture& p) : time_(p.time), cells_(p.cells()), cell_fields_(&p.fields) {
  Hash64 hash;
  for (const auto& faces : p.faces) hash.add(faces);
  mesh_hash_ = hash.value();
  const bool is_uniform = std::all_of(p.faces.begin(), p.faces.end(), are_equal_steps);
  is_uniform ? set_image(p) : set_voxels(p);
}

void VtkhdfFrame::set_image(const Picture& p) {
  for (std::size_t d = 0; d < 3; ++d) {
    const auto& faces = p.faces[d];
    origin_[d] = faces.front();
    spacing_[d] = (faces.back() - faces.front()) / static_cast<double>(faces.size() - 1);
    cells_in_z_y_x_.insert(cells_in_z_y_x_.begin(), faces.size() - 1);
  }
}

void VtkhdfFrame::set_voxels(const Picture& p) {
  const std::uint64_t nx = p.faces[0].size(), ny = p.faces[1].size();
  nodes_ = nx * ny * p.faces[2].size();
  corners_ = 8 * cells_;
  mesh_ = {{"Points", points(nodes_,
                             [&p, nx, ny](std::uint64_t i) {
                               return std::array{p.faces[0][i % nx], p.faces[1][i / nx % ny], p.faces[2][i / nx / ny]};
                             })},
           {"Connectivity", list<std::int64_t>(Element::int64, corners_,
                                               [nx, ny](std::uint64_t i) {
                                                 const std::uint64_t cell = i / 8, c = i % 8, x = nx - 1, y = ny - 1;
                                                 const std::uint64_t row = cell / x;
                                                 return (row / y + c / 4) * nx * ny + (row % y + c / 2 % 2) * nx +
                                                        cell % x + c % 2;
                                               })},
           {"Offsets", list<std::int64_t>(Element::int64, cells_ + 1, [](std::uint64_t i) { return 8 * i; })},
           {"Types", list<std::uint8_t>(Element::uint8, cells_, [](std::uint64_t) { return 11; })}};  // VTK_VOXEL
}

VtkhdfFrame::VtkhdfFrame(const MeshPicture& p)
    : time_(p.time),
      cells_(p.cells()),
      nodes_(p.nodes()),
      corners_(p.cell_node.size()),
      cell_fields_(&p.cell_fields),
      node_fields_(&p.node_fields) {
  Hash64 hash;
  hash.add(p.node);
  hash.add(p.space_node);
  hash.add(p.cell_start);
  hash.add(p.cell_node);
  mesh_hash_ = hash.value();
  mesh_ = {
      {"Points", points(nodes_,
                        [&p](std::uint64_t i) {
                          return p.space_node.empty() ? std::array{p.node[i][0], p.node[i][1], 0.0} : p.space_node[i];
                        })},
      {"Connectivity", list<std::int64_t>(Element::int64, corners_, [&p](std::uint64_t i) { return p.cell_node[i]; })},
      {"Offsets", list<std::int64_t>(Element::int64, cells_ + 1, [&p](std::uint64_t i) { return p.cell_start[i]; })},
      {"Types", list<std::uint8_t>(Element::uint8, cells_, [&p](std::uint64_t i) {
         static constexpr std::uint8_t type[] = {0, 1, 3, 5, 9};  // by corners: vertex, line, triangle, quad
         return type[p.cell_start[i + 1] - p.cell_start[i]];
       })}};
}

void VtkhdfFrame::choose_fields(VtkhdfSeries::State& state) const {
  for (const bool of_nodes : {false, true}) {
    const auto* fields = of_nodes ? node_fields_ : cell_fields_;
    for (std::size_t i = 0; fields && i < fields->size(); ++i) {
      const OutputField& f = (*fields)[i];
      state.fields.push_back({array_name(f.name), f.components, f.is_integer, of_nodes, {}});
    }
  }
}

Source VtkhdfFrame::source_of(const VtkhdfSeries::Field& field) const {
  const auto components = static_cast<std::uint32_t>(field.components);
  const std::uint64_t items = field.is_of_nodes ? nodes_ : cells_;
  const Element element = field.is_integer ? Element::int32 : Element::float32;
  const auto* fields = field.is_of_nodes ? node_fields_ : cell_fields_;
  for (std::size_t i = 0; fields && i < fields->size(); ++i) {
    const OutputField& f = (*fields)[i];
    if (array_name(f.name) != field.name || f.components != field.components || f.is_integer != field.is_integer)
      continue;
    const auto fill = field.is_integer ? &convert<std::int32_t> : &convert<float>;
    return {element, items, components,
            [&f, fill](std::uint64_t first, std::size_t count, const std::vector<unsigned char*>& columns) {
              fill(f, first, count, columns);
            }};
  }
  const auto missing = [](std::uint64_t, std::span<double> v) {
    std::fill(v.begin(), v.end(), std::numeric_limits<double>::quiet_NaN());
  };
  if (field.is_integer)
    return {element, items, components,
            [](std::uint64_t, std::size_t count, const std::vector<unsigned char*>& columns) {
              for (unsigned char* column : columns) std::fill(column, column + count * sizeof(std::int32_t), 0);
            }};
  const OutputField none{field.name, field.components, false, missing};
  return {element, items, components,
          [none](std::uint64_t first, std::size_t count, const std::vector<unsigned char*>& columns) {
            convert<float>(none, first, count, columns);
          }};
}

Bytes VtkhdfFrame::append(GrowingFile& file, const std::vector<double>& times, VtkhdfSeries::State& state) const {
  const bool is_first = times.size() == 1;
  if (is_first) choose_fields(state);
  ChunkWriter writer(file);
  std::vector<Chunks> mesh, fields;
  for (const auto& [name, source] : mesh_)
    if (is_first) mesh.push_back(writer.append(source, Blocks(source.items), Deflater::Of::mesh));
  for (const auto& f : state.fields)
    fields.push_back(writer.append(source_of(f), blocks(f.is_of_nodes), Deflater::Of::field));

  Headers headers(file.end());
  for (std::size_t i = 0; i < mesh.size(); ++i) {
    const Source& source = mesh_[i].second;
    const Blocks blocks(source.items);
    const ChunkGrid grid = blocks.chunks(source.components);
    ChunkIndex index;
    for (const auto& [at, bytes] : mesh[i]) index.append(grid, at, bytes, headers.all(), headers.base());
    const std::uint64_t root = index.finish(grid, headers.all(), headers.base());
    state.mesh.emplace_back(
        mesh_[i].first,
        headers.add(array_header(source.element, blocks.dimensions(source.components), grid.chunk, root)));
  }
  const auto index_chunks = [&](VtkhdfSeries::Field& f, const Chunks& chunks, const ChunkGrid& grid) {
    for (const auto& [at, bytes] : chunks) f.index.append(grid, at, bytes, headers.all(), headers.base());
  };
  // VTK reads an image of one step alone without the dimension of the steps: an index of its own, not gone on with.
  const VtkhdfSeries::State before = state;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    VtkhdfSeries::Field& f = state.fields[i];
    index_chunks(f, fields[i], blocks(f.is_of_nodes).chunks_of_steps(static_cast<std::uint32_t>(f.components)));
  }
  VtkhdfSeries::State shown = state;
  for (std::size_t i = 0; is_first && is_image() && i < fields.size(); ++i) {
    VtkhdfSeries::Field& f = shown.fields[i];
    f.index = before.fields[i].index;
    index_chunks(f, fields[i], blocks(f.is_of_nodes).chunks(static_cast<std::uint32_t>(f.components)));
  }
  state.root = add_root(headers, times, shown);
  return std::move(headers.all());
}

std::uint64_t VtkhdfFrame::add_fields(Headers& headers, bool of_nodes, std::size_t steps,
                                      const VtkhdfSeries::State& state) const {
  std::vector<Link> links;
  const Blocks all = blocks(of_nodes);
  const bool is_alone = steps == 1 && is_image();
  for (const auto& f : state.fields) {
    if (f.is_of_nodes != of_nodes) continue;
    const auto components = static_cast<std::uint32_t>(f.components);
    const ChunkGrid grid = is_alone ? all.chunks(components) : all.chunks_of_steps(components);
    const Dimensions dimensions = is_alone ? all.dimensions(components) : all.dimensions_of_steps(steps, components);
    const std::uint64_t root = f.index.finish(grid, headers.all(), headers.base());
    const Element element = f.is_integer ? Element::int32 : Element::float32;
    links.emplace_back(f.name, headers.add(array_header(element, dimensions, grid.chunk, root)));
  }
  return headers.add_group(links);
}

std::uint64_t VtkhdfFrame::add_steps(Headers& headers, const std::vector<double>& times,
                                     const VtkhdfSeries::State& state) const {
  const std::uint64_t n = times.size();
  std::vector<Link> links{{"Values", headers.add_list(Element::float64, {n}, times)}};
  const std::int64_t steps = static_cast<std::int64_t>(n);
  if (!is_image()) {
    const std::uint64_t none = headers.add_constant({n}, 0), none_each = headers.add_constant({n, 1}, 0);
    links.insert(links.end(), {{"PartOffsets", none},
                               {"NumberOfParts", headers.add_constant({n}, 1)},
                               {"PointOffsets", none},
                               {"CellOffsets", none_each},
                               {"ConnectivityIdOffsets", none_each}});
    for (const bool of_nodes : {false, true}) {
      std::vector<std::int64_t> begin;
      for (std::int64_t i = 0; i < steps; ++i)
        begin.push_back(i * static_cast<std::int64_t>(blocks(of_nodes).padded()));
      const std::uint64_t begins = headers.add_list(Element::int64, {n}, begin);
      std::vector<Link> offsets;
      for (const auto& f : state.fields)
        if (f.is_of_nodes == of_nodes) offsets.emplace_back(f.name, begins);
      links.emplace_back(of_nodes ? "PointDataOffsets" : "CellDataOffsets", headers.add_group(offsets));
    }
  }
  return headers.add_group(links, {attribute("NSteps", std::span(&steps, 1))});
}

std::uint64_t VtkhdfFrame::add_root(Headers& headers, const std::vector<double>& times,
                                    const VtkhdfSeries::State& state) const {
  constexpr std::int64_t version[] = {2, 0};
  std::vector<Message> attributes{attribute("Version", std::span(version)),
                                  attribute("Type", std::string_view(is_image() ? "ImageData" : "UnstructuredGrid"))};
  std::vector<Link> links = state.mesh;
  if (is_image()) {
    constexpr double unit[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    std::array<std::int64_t, 6> extent{};
    for (std::size_t d = 0; d < 3; ++d) extent[2 * d + 1] = static_cast<std::int64_t>(cells_in_z_y_x_[2 - d]);
    attributes.push_back(attribute("WholeExtent", std::span<const std::int64_t>(extent)));
    attributes.push_back(attribute("Origin", std::span<const double>(origin_)));
    attributes.push_back(attribute("Spacing", std::span<const double>(spacing_)));
    attributes.push_back(attribute("Direction", std::span(unit)));
  } else {
    links.emplace_back("NumberOfPoints", headers.add_constant({1}, static_cast<std::int64_t>(nodes_)));
    links.emplace_back("NumberOfCells", headers.add_constant({1}, static_cast<std::int64_t>(cells_)));
    links.emplace_back("NumberOfConnectivityIds", headers.add_constant({1}, static_cast<std::int64_t>(corners_)));
  }
  links.emplace_back("CellData", add_fields(headers, false, times.size(), state));
  if (!is_image()) links.emplace_back("PointData", add_fields(headers, true, times.size(), state));
  links.emplace_back("Steps", add_steps(headers, times, state));
  return headers.add_group({{"VTKHDF", headers.add_group(links, std::move(attributes))}});
}

}  // namespace weir
