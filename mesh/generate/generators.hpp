// The mesh generators: a table in, description out (mesh/unstructured/build_mesh.hpp makes the faces). Lengths are in the unit of the
// case's reference length. Every generator takes linear time, the triangles of the NACA mesh n log n.
#pragma once
#include "base/table.hpp"
#include "mesh/generate/sheet.hpp"
#include "mesh/unstructured/description.hpp"

namespace weir {

// [mesh] generator = { type = "box" | "cylinder" | "naca0012" | "naca" | "bump" | "wedge" | "c_grid", ... }:
// docs/howto/use_your_own_mesh.md.
Options generator_options();                       // `type` alone
Options generator_options(std::string_view type);  // the keys of one
MeshDescription read_generator(const Table& options);

// Cells of a mesh are counted with int, their corners too; and the machine must have room for them.
void require_countable(const Table& t, const char* key, double cells, CellShape shape = CellShape::quads);

// The hybrid mesh of a NACA 4-digit airfoil: layers of quadrilaterals on the wall, triangles up to a circle about the
// mid-chord. Patches wall, farfield. All sizes are those of refinement 1, which makes about 13,000 cells;
// refinement r divides every size by r (and the layers' total height stays), so the number of cells grows like r^2.
MeshDescription make_naca(const Table& t, bool has_profile);
Options naca_options();

// Quadrilaterals around the same airfoils, their trailing edge sharp, and along the wake to the far field (c_grid.cpp).
// (wall_cells + 2 wake_cells) outward cells. Patches wall, farfield.
MeshDescription make_c_grid(const Table& t);
Options c_grid_options();

}  // namespace weir
