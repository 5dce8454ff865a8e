// The mesh generators: a table in, description out (mesh/unstructured/build_mesh.hpp makes the faces). Lengths are in the unit of the
// case's reference length. Every generator takes linear time, the triangles of the NACA mesh n log n.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "mesh/generate/airfoil.hpp"
#include "mesh/generate/sheet.hpp"
#include "mesh/unstructured/description.hpp"

namespace weir {

// The hybrid mesh of a NACA 4-digit airfoil: layers of quadrilaterals on the wall, triangles up to a circle about the
// mid-chord. Patches wall, farfield. All sizes are those of refinement 1, which makes about 13,000 cells;
// refinement r divides every size by r (and the layers' total height stays), so the number of cells grows like r^2.
struct NacaOptions {
  double thickness = 0.12, camber = 0, camber_position = 0.4;  // of the chord: NACA 0012
  TrailingEdge trailing_edge = TrailingEdge::closed;
  double far_field = 20;
  double refinement = 1;
  int wall_faces = 200;  // of both sides
  double leading_spacing = 0.0014, trailing_spacing = 0.0025;
  int layers = 20;  // 0: triangles on the wall
  double first_height = 5e-5, layer_growth = 1.26;
  double fan_angle = 0.35;                        // radians: a column of the fan around the trailing edge
  double near_growth = 0.125, far_growth = 0.16;  // of the triangles' size with the distance: within a chord, beyond
  double wake_length = 0, wake_size = 0.03;       // triangles no larger than wake_size behind the trailing edge
  CellShape shape = CellShape::quads;             // triangles: the layers' cells are halved
};
MeshDescription make_naca(const NacaOptions& options);
// The refinement that gives about so many cells (to a few per cent).
double refinement_for(NacaOptions options, int cells);

// [mesh] generator = { type = "box" | "cylinder" | "naca0012" | "naca" | "bump" | "wedge", ... }:
// docs/howto/use_your_own_mesh.md.
Options generator_options();                       // `type` alone
Options generator_options(std::string_view type);  // the keys of one
MeshDescription read_generator(const Table& options);

}  // namespace weir
