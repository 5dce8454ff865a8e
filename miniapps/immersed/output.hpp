// Output of a flow around a body in addition to the fields and profiles of the incompressible miniapp.
#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "mesh/body/surface.hpp"
#include "miniapps/immersed/case.hpp"
#include "miniapps/structured/output.hpp"

namespace weir {

// Output field "fluid": fluid fraction of each cell, for masking the body. flow.more(d): the fluid fractions of the
// control volumes of the velocity nodes. Keeps a reference to the flow.
OutputField fluid_field(const WholeFlow& flow);

// Writes the surface as VTK PolyData: lines in 2D, triangles in 3D. The loads are data of the elements: pressure and
// friction divided by the density, each scalar and its flux into the fluid with the array names `names`. Throws
// Error(Exit::file_io).
void write_surface(const std::string& path, const Surface& surface, std::vector<SurfaceLoad> loads,
                   const std::vector<std::string>& names);

// Writes FILE (surface/body.csv): pressure and friction coefficients on the pieces of the surface. In 2D they can be
// plotted in this order: the upper side by x, then the lower side by -x. Columns x,y,upper,cp,cf; in 3D x,y,z,cp.
//   cp = (p - p_0) / (U^2 / 2),   p_0: the mean over the side x_min
//   cf = tau . t / (U^2 / 2),     t along the wall, towards larger x
void write_surface_coefficients(const std::string& path, const ImmersedCase& c, double velocity, const WholeFlow& flow,
                                std::vector<SurfaceLoad> loads);

// Mean over the box of the velocity along each direction, where the velocity in a body counts as zero: the superficial
// velocity of a porous array. Quantities mean_velocity_x, _y(, _z).
std::map<std::string, double> mean_velocity(const ImmersedCase& c, const WholeFlow& flow);

// Length of the recirculation zone divided by the reference length: distance downstream of the body at which u on the
// line through its middle changes from negative to positive; 0 without backflow.
double wake_length(const ImmersedCase& c, const WholeFlow& flow, const Surface& surface);

}  // namespace weir
