// What the host knows of the patches' points: which patch a point belongs to, and the velocity that a formula gives there.
#pragma once
#include <vector>

#include "miniapps/structured/case.hpp"
#include "miniapps/structured/layout.hpp"
#include "miniapps/structured/sides/plane.hpp"

namespace weir {

// Of every point of the planes, its patch's number in c.patches. A face between two patches belongs to the type that comes first
// in SidePatch::Type (a wall keeps its edge), between equals to the lower one's.
std::vector<int> patches_of_points(const IncompressibleCase& c, const Layout& layout);

// Into the points of patches with formulas, for all or for those where t occurs. The normal velocity is the mean over the cell (Gauss,
// 3 points a direction), so that the flux of smooth profiles is exact to O(h^6); tangential ones are taken at their points.
void evaluate_patches(const IncompressibleCase& c, const Layout& layout, double t, bool only_changing,
                      const std::vector<int>& owner, std::vector<double>& values);

// What a patch's velocity carries into the box at time t, by the same rule; 0 of an outlet.
double flux_of_patch(const IncompressibleCase& c, const SidePatch& patch, double t);
double area_of_patch(const IncompressibleCase& c, const SidePatch& patch);

// Of a component's points along a direction, for index -1..n of the whole grid (beyond the ends mirrored).
double coordinate(const GridLine& line, bool at_faces, int i);
std::vector<double> coordinates(const GridLine& line, bool at_faces);

}  // namespace weir
