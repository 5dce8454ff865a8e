// What leaves a flow around a body, beside the incompressible miniapp's pictures and profiles.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "mesh/body/surface.hpp"
#include "miniapps/immersed/case.hpp"
#include "miniapps/structured/output.hpp"

namespace weir {

// The fluid part of each velocity node's control volume, padded.
using FluidParts = std::array<std::vector<double>, 3>;
// "fluid": how much of each cell is fluid, for pictures that mask the body; refers to the parts.
OutputField fluid_field(const Layout& layout, const FluidParts& parts);

// The surface as VTK PolyData: lines in 2D, triangles in 3D. Throws Error(Exit::file_io).
void write_surface(const std::string& path, const Surface& surface);

// The distance behind the body, over the reference length, at which u along the line through its middle changes from back
// to forth; 0 where there is no backflow.
double wake_length(const ImmersedCase& c, const Flow<Host>& flow, const Surface& surface);

}  // namespace weir
