// Pictures of unstructured meshes (in the plane) and of surfaces (in space) for ParaView: one .vtu (VTK XML) a picture. A run lists them in the same .pvd as the
// structured ones (PictureSeries). Knows no mesh class: a picture refers to the mesh's arrays,
//
//   write_unstructured("mesh.vtu", {.node = mesh.node, .cell_start = mesh.cell_start, .cell_node = mesh.cell_node,
//                                   .cell_fields = {mesh_field("p", 1, p), mesh_field("line", line)}});
#pragma once
#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace weir {

// One value (or vector of 3) a cell or a node, asked for a stretch at a time, so that a picture needs no copy of the
// state: fill(first, values) gives values.size() / components items from item `first` on, components adjacent.
struct MeshField {
  std::string name;
  int components = 1;       // 1 or 3
  bool is_integer = false;  // written as Int32; otherwise as Float32
  std::function<void(std::size_t first, std::span<double> values)> fill;
};

// The fields whose values lie in memory in the mesh's order; they refer to them.
MeshField mesh_field(std::string name, int components, std::span<const double> values);
MeshField mesh_field(std::string name, std::span<const int> values);
// The field of a function of the item: mesh_field("Mach", [&](std::size_t cell) { return ...; }).
MeshField mesh_field(std::string name, std::function<double(std::size_t item)> value);

struct MeshPicture {
  double time = 0;
  std::span<const std::array<double, 2>> node{};        // in the plane; or
  std::span<const std::array<double, 3>> space_node{};  // in space
  std::span<const int> cell_start, cell_node;  // cells + 1; 2 (lines), 3 or 4 corners of each cell, counter-clockwise
  std::vector<MeshField> cell_fields, node_fields;
  std::size_t cells() const { return cell_start.size() - 1; }
  std::size_t nodes() const { return node.size() + space_node.size(); }
};

// Writes aside and renames. Throws Error(Exit::file_io) with path and reason.
void write_unstructured(const std::string& path, const MeshPicture& picture);

}  // namespace weir
