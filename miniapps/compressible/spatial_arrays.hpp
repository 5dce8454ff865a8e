// The memory behind a SpatialView, laid out once from the mesh.
#pragma once
#include "miniapps/compressible/spatial_view.hpp"
#include "solvers/device/array.hpp"

namespace weir {

// On the host, as the mesh gives it.
struct SpatialGeometry {
  std::vector<int> owner, neighbour;
  int sorted = 0;            // faces that are not periodic
  std::vector<double> face;  // nx, ny, area, lx, ly, rx, ry, inverse: `faces` numbers each
  std::vector<int> boundary_cell_of_face, type;
  std::vector<double> boundary_face;  // nx, ny, area, lx, ly, inverse
  std::vector<double> outside;
  std::vector<double> volume;
  std::vector<int> start, link, other;
  std::vector<double> weight;
  std::vector<int> boundary_cell, boundary_start, boundary_faces;
  std::vector<int> owner_row, neighbour_row;
  std::vector<int> patch_first, patch_count;  // in boundary faces
};

SpatialGeometry spatial_geometry(const UnstructuredMesh& mesh, const Gas& gas, GradientScheme gradient,
                                 const std::vector<BoundaryCondition>& conditions);

template <class Space>
struct SpatialArrays {
  GasModel gas;
  SpatialScheme scheme;
  SpatialView view;
  std::vector<int> patch_first, patch_count;
  Array<int, Space> owner, neighbour, cell_of_face, type, start, link, other, boundary_cell, boundary_start,
      boundary_faces, owner_row, neighbour_row;
  Array<double, Space> face, boundary_face, outside, volume, weight;
  Array<double, Space> w, wx, wy, phi, flux, boundary_flux, boundary_block;

  SpatialArrays(const SpatialGeometry& g, const Gas& point_gas, const GasModel& model, const SpatialScheme& s);
  std::int64_t bytes() const;
};

}  // namespace weir
