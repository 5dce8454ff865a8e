// What a case file says about a flow with a body in it, checked: everything of the incompressible miniapp's case, and [body].
#pragma once
#include <optional>

#include "miniapps/immersed/forces.hpp"
#include "miniapps/structured/case.hpp"

namespace weir {

// How forces become coefficients, and over which time they are averaged.
struct ForceOptions {
  double velocity = 1;      // U
  double area = 1;          // drag = F / (0.5 density U^2 area); in 2D a length
  double length = 1;        // D of the Strouhal number and the wake's length
  double average_from = 0;  // time
  double period = 0;        // of a forced motion, for drag_noise; 0: none
  CellBox box;              // of the control volume
};

struct ImmersedCase {
  IncompressibleCase flow;
  ForceOptions forces;
};

std::vector<KeyTable> immersed_keys();

ImmersedCase read_immersed_case(const Table& config);

// [ranks] body_layers: the layers of cells that a rank looks at around its own, for bodies that a border cuts; 0: as many as
// the cells beside the body ask for (cut_part.hpp).
int read_body_layers(const Table& config);

// A list of triangles or segments about as fine as the grid beside the body.
double surface_spacing(const Grid& grid);

}  // namespace weir
