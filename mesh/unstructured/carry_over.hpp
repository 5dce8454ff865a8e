// Interpolation of cell values to other points of the same domain.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "mesh/unstructured/unstructured.hpp"

namespace weir {

// n values per cell and point. A point gets the values of the cell with the nearest centre, extrapolated by the
// cell's gradients (least squares over face neighbours, weighted by the inverse squared distance): exact for linear
// fields. If the result is not allowed, it gets the cell's own values. Periodic faces are not used; cells whose
// neighbours are nearly collinear have zero gradient.
std::vector<double> carried_over(const UnstructuredMesh& from, std::span<const double> values, int n,
                                 std::span<const Point> to,
                                 const std::function<bool(std::span<const double>)>& is_allowed);

}  // namespace weir
