// Field pictures for ParaView: one .vtr (VTK XML, rectilinear grid) a picture, one .pvd that lists them with their times.
#pragma once
#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "postproc/fields/vtu.hpp"

namespace weir {

// A cell field, asked for one slab z = k at a time, so that a picture needs no copy of the state in double:
// fill(k, slab) gives cells(x) * cells(y) * components values, components adjacent, then x, then y.
struct CellField {
  std::string name;
  int components = 1;  // 1 or 3
  std::function<void(int k, std::span<double> slab)> fill;
};

// The field whose values lie in memory in the picture's order (components adjacent, then x, y, z); it refers to them.
CellField cell_field(std::string name, int components, std::span<const double> values, int cells_z);

struct Picture {
  double time = 0;
  std::array<std::span<const double>, 3> faces;  // coordinates of the n + 1 cell faces in x, y, z
  std::vector<CellField> fields;                 // written as Float32
  int cells(int d) const { return static_cast<int>(faces[d].size()) - 1; }
};

// Writes aside and renames. Throws Error(Exit::file_io) with path and reason.
void write_rectilinear(const std::string& path, const Picture& picture);

// The collection of a run's pictures. The .pvd is rewritten, aside, at each change: it is valid at any moment.
class PvdCollection {
 public:
  explicit PvdCollection(std::string path) : path_(std::move(path)) {}  // a new, empty one; nothing is written yet

  // Continues the collection at `path` from `time`: what comes later is cut off (the continued run writes it again). A
  // missing file is an empty collection; an unreadable one throws Error(Exit::file_io).
  static PvdCollection continued(std::string path, double time);

  // Appends a picture; `file` is relative to the .pvd. An entry of the same file is replaced.
  void add(double time, const std::string& file);
  void cut_back(double time);

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

// What a run uses: FOLDER/NAME_00000100.vtr (.vtu) for step 100, listed in FOLDER/NAME.pvd.
class PictureSeries {
 public:
  PictureSeries(const std::string& folder, const std::string& name);  // a new run
  PictureSeries(const std::string& folder, const std::string& name,
                double restart_time);  // continued from a checkpoint
  void write(std::int64_t step, const Picture& picture);
  void write(std::int64_t step, const MeshPicture& picture);
  const PvdCollection& collection() const { return pvd_; }

 private:
  std::string folder_, name_;
  PvdCollection pvd_;
};

}  // namespace weir
