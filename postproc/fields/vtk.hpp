// Field output for ParaView: one .vtr (VTK XML, rectilinear grid) or .vtu (unstructured) per output time, and one .pvd
// that lists them with their times. A Picture refers to the arrays of the mesh,
//
//   write_unstructured("mesh.vtu", {.node = mesh.node, .cell_start = mesh.cell_start, .cell_node = mesh.cell_node,
//                                   .cell_fields = {output_field("p", 1, p), output_field("line", line)}});
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weir {

// One value (or vector of 3) per cell or node, requested in pieces, so that a picture needs no copy of the state:
// fill(first, values) gives values.size() / components items from item `first` on, components adjacent. Cells of a
// rectilinear grid are counted x first, then y.
struct OutputField {
  std::string name;
  int components = 1;       // 1 or 3
  bool is_integer = false;  // written as Int32; otherwise as Float32
  std::function<void(std::size_t first, std::span<double> values)> fill;
};

// Fields that refer to values in memory, in the order of the mesh.
OutputField output_field(std::string name, int components, std::span<const double> values);
OutputField output_field(std::string name, std::span<const int> values);
// The field of a function: output_field("Mach", 1, [&](std::size_t cell, int) { return ...; }).
OutputField output_field(std::string name, int components,
                         std::function<double(std::size_t item, int component)> value);

struct Picture {
  double time = 0;
  std::array<std::span<const double>, 3> faces;  // coordinates of the n + 1 cell faces in x, y, z
  std::vector<OutputField> fields;
  std::size_t cells() const { return (faces[0].size() - 1) * (faces[1].size() - 1) * (faces[2].size() - 1); }
};

struct MeshPicture {
  double time = 0;
  std::span<const std::array<double, 2>> node{};        // in the plane; or
  std::span<const std::array<double, 3>> space_node{};  // in space
  std::span<const int> cell_start, cell_node;  // cells + 1; 2 (lines), 3 or 4 corners of each cell, counter-clockwise
  std::vector<OutputField> cell_fields, node_fields;
  std::size_t cells() const { return cell_start.size() - 1; }
  std::size_t nodes() const { return node.size() + space_node.size(); }
};

// Write aside and rename. Throw Error(Exit::file_io) with path and reason.
void write_rectilinear(const std::string& path, const Picture& picture);
void write_unstructured(const std::string& path, const MeshPicture& picture);

// The collection of a run's pictures. The .pvd is rewritten, aside, at each change: it is valid at any moment.
class PvdCollection {
 public:
  // Empty and not written yet; after a restart, the entries of the file up to that time (the run writes the rest
  // again). A missing file is an empty collection; an unreadable one throws Error(Exit::file_io).
  explicit PvdCollection(std::string path, std::optional<double> restart_time = {});

  // Appends a picture; `file` is relative to the .pvd. An entry of the same file is replaced.
  void add(double time, const std::string& file);

  struct Entry {
    double time;
    std::string file;
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  void write() const;
  std::string path_;
  std::vector<Entry> entries_;
};

}  // namespace weir
