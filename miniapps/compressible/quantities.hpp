// What a user compares with the literature, taken from a flow in host memory.
//   always         entropy_error  L2 norm over the volume of (p / rho^gamma) / (p / rho^gamma)_infinity - 1;  mach_max
//   with walls     lift, drag, drag_pressure, drag_viscous, cp_min, cp_max
//   viscous walls  separation     x / reference_length on the upper side; NaN: attached
//                  cf_blasius_error  a flat plate along x alone: the largest |cf sqrt(Re_x) / 0.664115 - 1| between 0.3
//                  and 1 of the reference length
//   exact flows    error_density_l1, error_density_l2, error_density_max, error_pressure_l2, error_velocity_l2
//   oblique shock  pressure_ratio (mean on the wedge), shock_angle (degrees)
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "miniapps/compressible/case.hpp"
#include "miniapps/compressible/forces.hpp"

namespace weir {

struct FlowFields {
  const UnstructuredMesh& mesh;
  std::span<const double> U;  // (rho, rho u, rho v, rho E) of each cell
  double gamma;
  PrimitiveState at(int cell) const;
};

std::vector<std::string> quantity_names(const CompressibleCase& c, const std::vector<FlowBoundary>& boundary);

std::map<std::string, double> flow_quantities(const CompressibleCase& c, const FlowFields& fields,
                                              const std::vector<WallSurface>& surfaces, const Forces& forces,
                                              double time);

double mach_number(const PrimitiveState& s, double gamma);
double entropy_of(const PrimitiveState& s, const CompressibleCase& c);  // (p / rho^gamma) over the free stream's - 1

}  // namespace weir
