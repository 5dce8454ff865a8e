// Values of the cells of a mesh at other points of the same domain.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "mesh/unstructured/unstructured.hpp"

namespace weir {

// n values a cell, and a point. A point gets those of the cell whose centre is nearest, carried on by the cell's gradients (least
// squares over the cells across its faces, weighted by the inverse of the squared distance): exact where the values are linear.
// Where these are not allowed, it gets the cell's own. Periodic faces are left out of gradients; cells whose neighbours lie nearly on
// a line have none.
std::vector<double> carried_over(const UnstructuredMesh& from, std::span<const double> values, int n,
                                 std::span<const Point> to,
                                 const std::function<bool(std::span<const double>)>& is_allowed);

}  // namespace weir
