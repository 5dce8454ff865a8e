// Points of the patches on the host: the patch to which a point belongs, and the velocity of a formula there.
#pragma once
#include <vector>

#include "miniapps/structured/case.hpp"
#include "miniapps/structured/layout.hpp"
#include "miniapps/structured/sides/plane.hpp"

namespace weir {

// For every point of the planes, the number of its patch in c.patches. A face between two patches belongs to the type
// that comes first in SidePatch::Type (a wall keeps its edge), between equal types to the lower one.
std::vector<int> patches_of_points(const IncompressibleCase& c, const Layout& layout);

// Sets the points of patches with formulas: all, or those with t. The normal velocity is the mean over the cell (Gauss,
// 3 points per direction), so that the flux of smooth profiles is exact to O(h^6); tangential velocities are point
// values.
void evaluate_patches(const IncompressibleCase& c, const Layout& layout, double t, bool only_changing,
                      const std::vector<int>& owner, std::vector<double>& values);

// The volume flux of a patch into the box at time t, by the same rule; 0 for an outlet.
double flux_of_patch(const IncompressibleCase& c, const SidePatch& patch, double t);
double area_of_patch(const IncompressibleCase& c, const SidePatch& patch);

// Coordinates of the points of a component along a direction, for index -1..n of the whole grid (mirrored at the ends).
double coordinate(const GridLine& line, bool at_faces, int i);
std::vector<double> coordinates(const GridLine& line, bool at_faces);

}  // namespace weir
