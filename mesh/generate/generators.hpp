// Mesh generators: from a table to a description (mesh/unstructured/build_mesh.hpp makes the faces). Lengths are in
// units of the case's reference length. Linear time, n log n for the triangles of the NACA mesh.
#pragma once
#include "base/table.hpp"
#include "mesh/generate/sheet.hpp"
#include "mesh/unstructured/description.hpp"

namespace weir {

// [mesh] generator = { type = "box" | "cylinder" | "naca0012" | "naca" | "wedge" | "c_grid", ... }:
// docs/howto/use_your_own_mesh.md.
Options generator_options();                       // `type` only
Options generator_options(std::string_view type);  // the keys of one type
MeshDescription read_generator(const Table& options);

// Refuses meshes whose cells or corners exceed a 32-bit index or whose memory exceeds the machine's.
void require_countable(const Table& t, const char* key, double cells, CellShape shape = CellShape::quads);

// Hybrid mesh of a NACA 4-digit airfoil: layers of quadrilaterals on the wall, triangles up to a circle about the
// mid-chord. Patches wall, farfield. Sizes are those of refinement 1, about 13,000 cells; refinement r divides all
// sizes by r at constant total height of the layers, so the number of cells grows like r^2.
MeshDescription make_naca(const Table& t, bool has_profile);
Options naca_options();

// C-grid of quadrilaterals around a NACA 4-digit airfoil with sharp trailing edge and along its wake (c_grid.cpp):
// (wall_cells + 2 wake_cells) outward cells. Patches wall, farfield.
MeshDescription make_c_grid(const Table& t);
Options c_grid_options();

}  // namespace weir
