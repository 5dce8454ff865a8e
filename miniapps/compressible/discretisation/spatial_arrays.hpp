// The memory of a SpatialView, set up from the mesh.
#pragma once
#include "mesh/unstructured/mesh_part.hpp"
#include "miniapps/compressible/discretisation/spatial_view.hpp"
#include "solvers/device/array.hpp"
#include "solvers/parallel/halo.hpp"

namespace weir {

// Interior faces in the order of SpatialView: between own cells with periodic ones last; on the border, by owner;
// beyond it. One rank: mesh order.
struct FaceOrder {
  std::vector<int> face;  // face of the mesh
  int sorted = 0, inner = 0, count = 0;
};
FaceOrder order_faces(const UnstructuredMesh& mesh, int own);

struct SpatialGeometry {
  std::vector<int> owner, neighbour;
  int sorted = 0, inner = 0, count = 0;  // faces, as in InteriorFaces
  int own = 0, reach = 0;                // cells
  std::vector<double> face;              // nx, ny, area, lx, ly, rx, ry, inverse: `faces` numbers each
  std::vector<int> boundary_cell_of_face, type;
  std::vector<double> boundary_face;  // nx, ny, area, lx, ly, inverse
  std::vector<double> outside;
  std::vector<double> volume;
  std::vector<int> start, link, other;
  std::vector<double> weight, boundary_height;
  std::vector<int> boundary_cell, boundary_start, boundary_faces;
  std::vector<int> owner_row, neighbour_row;
  std::vector<int> patch_first, patch_count, patch_own;  // in boundary faces; patch_own: those of own cells
};

// part: the mesh is its mesh; null: one rank.
SpatialGeometry spatial_geometry(const UnstructuredMesh& mesh, const Gas& gas, GradientScheme gradient,
                                 const std::vector<BoundaryCondition>& conditions, const MeshPart* part = nullptr);

template <class Space>
struct SpatialArrays {
  SpatialScheme scheme;
  SpatialView view;
  std::vector<int> patch_first, patch_count, patch_own;
  Array<int, Space> owner, neighbour, cell_of_face, type, start, link, other, boundary_cell, boundary_start,
      boundary_faces, owner_row, neighbour_row;
  Array<double, Space> face, boundary_face, outside, volume, weight, boundary_height;
  Array<double, Space> w, wx, wy, phi, flux, boundary_flux, boundary_block, dw, dwx, dwy, dphi;
  // With ranks: halo, U of the ghosts, blocks on the border.
  const Communicator* ranks = nullptr;
  Halo<Space> halo;
  Array<double, Space> ghost, border;
  // Turbulent flow.
  Array<double, Space> distance, model, model_x, model_y, model_flux, model_boundary_flux, auxiliary;
  Array<double, Space> dmodel, dmodel_x, dmodel_y, dauxiliary, source_slope;
  Array<int, Space> boundary_number;

  SpatialArrays(const SpatialGeometry& g, const Gas& point_gas, const SpatialScheme& s, const TurbulenceModel& t = {});

 private:
  void add_turbulence(const SpatialGeometry& g, const TurbulenceModel& t);
};

}  // namespace weir
