// A picture as VTKHDF has it: its mesh and its fields as arrays of a HDF5 file (vtkhdf.hpp says which).
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "postproc/fields/hdf5/array_writer.hpp"
#include "postproc/fields/vtkhdf.hpp"

namespace weir {

// Refers to the picture.
class VtkhdfFrame {
 public:
  explicit VtkhdfFrame(const Picture& picture);
  explicit VtkhdfFrame(const MeshPicture& picture);

  double time() const { return time_; }
  std::uint64_t mesh_hash() const { return mesh_hash_; }

  // Appends what the fields hold, before the first step also the mesh. Returns all headers, to be appended there; the root's
  // is at state.root. times: of all steps, this one included.
  hdf5::Bytes append(hdf5::GrowingFile& file, const std::vector<double>& times, VtkhdfSeries::State& state) const;

 private:
  using Link = std::pair<std::string, std::uint64_t>;
  class Headers;

  bool is_image() const { return !cells_in_z_y_x_.empty(); }
  hdf5::Blocks blocks(bool of_nodes) const {
    return of_nodes ? hdf5::Blocks(nodes_) : hdf5::Blocks(cells_, cells_in_z_y_x_);
  }
  void set_image(const Picture& picture);
  void set_voxels(const Picture& picture);
  void choose_fields(VtkhdfSeries::State& state) const;
  hdf5::Source source_of(const VtkhdfSeries::Field& field) const;
  std::uint64_t add_fields(Headers& headers, bool of_nodes, std::size_t steps, const VtkhdfSeries::State& state) const;
  std::uint64_t add_steps(Headers& headers, const std::vector<double>& times, const VtkhdfSeries::State& state) const;
  std::uint64_t add_root(Headers& headers, const std::vector<double>& times, const VtkhdfSeries::State& state) const;

  double time_ = 0;
  std::uint64_t mesh_hash_ = 0, cells_ = 0, nodes_ = 0, corners_ = 0;
  std::vector<std::uint64_t> cells_in_z_y_x_;  // of an image
  std::array<double, 3> origin_{}, spacing_{};
  std::vector<std::pair<std::string, hdf5::Source>> mesh_;
  const std::vector<OutputField>*cell_fields_ = nullptr, *node_fields_ = nullptr;
};

}  // namespace weir
