// Quantities for comparison with the literature, evaluated by rank 0.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "miniapps/compressible/case.hpp"
#include "miniapps/compressible/forces.hpp"
#include "solvers/parallel/paged_array.hpp"

namespace weir {

struct FlowFields {
  const UnstructuredMesh& mesh;
  PagedArray U;  // (rho, rho u, rho v, rho E[, of the turbulence model]) of each cell
  double gamma;
  PagedArray eddy_viscosity;  // SST, relative to the viscosity of the free stream: the first of the values of each cell
  std::size_t values() const { return U.size() / static_cast<std::size_t>(mesh.cells()); }  // per cell
  PrimitiveState at(int cell) const;
};

// Statistics of the forces of an unsteady run, from [output] average_from on.
inline constexpr const char* statistics_names[] = {"lift_mean", "drag_mean",  "lift_amplitude", "drag_amplitude",
                                                   "strouhal",  "lift_phase", "drag_phase"};

std::vector<std::string> quantity_names(const CompressibleCase& c, const std::vector<FlowBoundary>& boundary);

std::map<std::string, double> flow_quantities(const CompressibleCase& c, const FlowFields& fields,
                                              const std::vector<WallSurface>& surfaces, const Forces& forces,
                                              const std::vector<Forces>& of_walls, double time);
// Sets result_name of the walls: the name of the patch, with '_' in place of characters other than letters, digits,
// '_', '-' and '.', and with "_wall" appended if a quantity or another wall has that name.
void name_walls(std::vector<FlowBoundary>& boundary);
// Adds the names of the coefficients of one wall.
void add_wall_names(const FlowBoundary& b, std::vector<std::string>& names);

double mach_number(const PrimitiveState& s, double gamma);
// Eddy viscosity relative to the viscosity of the free stream.
double eddy_viscosity_of(const FlowFields& fields, int cell, const CompressibleCase& c);
double entropy_of(const PrimitiveState& s, const CompressibleCase& c);  // (p / rho^gamma) / (free stream's) - 1

}  // namespace weir
