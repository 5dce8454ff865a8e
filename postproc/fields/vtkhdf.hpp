// Field output as VTKHDF (docs.vtk.org, "VTKHDF file format", 2.0): one file a run with the mesh once and every time in it,
// compressed. ParaView from 5.12 and PyVista (VTK from 9.3) read it; h5py and any other HDF5 too.
//
//   /VTKHDF                Type ImageData (grids of equal cells in each direction: Origin, Spacing, WholeExtent) or
//                          UnstructuredGrid (Points, Connectivity, Offsets, Types once: stretched grids as voxels, since
//                          VTK reads RectilinearGrid from 9.7 only; meshes as they are)
//   /VTKHDF/CellData/NAME  Float32 or Int32, as in the .vtr. ImageData: [step, z, y, x(, component)], without `step` where
//                          there is one step alone (VTK asks for that); else [step * padded cells(, component)]
//   /VTKHDF/Steps          NSteps, Values (the times), CellDataOffsets/NAME and PointDataOffsets/NAME
//
// The file is written by Weir itself and only ever grows: a step's chunks and a new set of headers are appended, then the
// first 512 bytes, in one write, turn to them. A reader or a kill at any moment finds the steps before or the steps with the
// new one; a full disk leaves the steps before. Behind each step lies what is needed to go on from it: a restart turns back to
// its own step and then writes the bytes that the run would have written without it. (HDF5's library changes its headers
// in place: a kill or a full disk in between would cost all earlier steps.)
//
// The first picture says which fields there are: one that a later picture lacks is NaN (or 0) there, one more is left out.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "postproc/fields/hdf5/chunk_index.hpp"
#include "postproc/fields/vtk.hpp"

namespace weir {
namespace hdf5 {
class GrowingFile;
}
class VtkhdfFrame;

class VtkhdfSeries {
 public:
  // A new file, at the first write; or, of a run that restarts, the one that is there, up to that time. One that cannot be
  // gone on with throws Error(Exit::file_io).
  explicit VtkhdfSeries(std::string path, std::optional<double> restart_time = {});

  // Appends a step; a step that is there already is written again. Throw Error(Exit::file_io) with path and reason.
  void write(std::int64_t step, const Picture& picture);
  void write(std::int64_t step, const MeshPicture& picture);

  // Leaves the steps up to this one.
  void cut_after(std::int64_t step);

  struct Step {
    std::int64_t step;
    double time;
    std::uint64_t state, bytes;  // where the file says how to go on, and how long that is
  };
  const std::vector<Step>& steps() const { return steps_; }

  struct Field {
    std::string name;
    int components = 1;
    bool is_integer = false, is_of_nodes = false;
    hdf5::ChunkIndex index;
  };
  struct State {
    std::uint64_t previous = 0, previous_bytes = 0, root = 0, mesh_hash = 0;
    std::int64_t step = 0;
    double time = 0;
    std::vector<std::pair<std::string, std::uint64_t>> mesh;  // the arrays' headers
    std::vector<Field> fields;
  };

 private:
  void append(std::int64_t step, const VtkhdfFrame& frame);
  void append_to(hdf5::GrowingFile file, std::int64_t step, const VtkhdfFrame& frame);
  void read_steps();
  State read_state(const hdf5::GrowingFile& file, std::uint64_t at, std::uint64_t bytes) const;
  void turn_to(std::size_t steps);

  std::string path_;
  std::vector<Step> steps_;
  State last_;
  bool is_checked_ = false;  // that the mesh is the file's
};

}  // namespace weir
