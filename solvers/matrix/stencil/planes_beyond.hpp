// Host: the neighbours of a box that other ranks have, for products that compute every row as one rank does.
#pragma once

namespace weir {

// Values of x in the planes next to the box, row by row; null: no such plane.
struct PlanesBeyond {
  const double *south = nullptr, *north = nullptr, *below = nullptr, *above = nullptr;
};

}  // namespace weir
