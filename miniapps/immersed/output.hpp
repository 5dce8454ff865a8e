// Output of a flow around a body in addition to the fields and profiles of the incompressible miniapp.
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
// "fluid": the fluid fraction of each cell, to mask the body; refers to the parts.
OutputField fluid_field(const Layout& layout, const FluidParts& parts);

// The surface as VTK PolyData: lines in 2D, triangles in 3D, with the loads as data of the elements: pressure and
// friction over the density, each scalar and its flux into the fluid (`names`: of both). Throws Error(Exit::file_io).
void write_surface(const std::string& path, const Surface& surface, std::vector<SurfaceLoad> loads,
                   const std::vector<std::string>& names);

// FILE (surface/body.csv): pressure and friction coefficients on the pieces of the surface, in 2D in an order that can
// be plotted: upper side by x, then lower side by -x. Columns x,y,upper,cp,cf; in 3D x,y,z,cp.
//   cp = (p - p_0) / (U^2 / 2),   p_0: the mean over the side x_min
//   cf = tau . t / (U^2 / 2),     t along the wall, to larger x
void write_surface_coefficients(const std::string& path, const ImmersedCase& c, double velocity, const Flow<Host>& flow,
                                std::vector<SurfaceLoad> loads);

// The distance behind the body, over the reference length, at which u along the line through its middle changes from
// back to forth; 0 where there is no backflow.
double wake_length(const ImmersedCase& c, const Flow<Host>& flow, const Surface& surface);

}  // namespace weir
