// [[surface]] of a structured flow: shear and pressure along a side of the box, and where the shear changes sign.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/key_table.hpp"
#include "base/table.hpp"
#include "miniapps/driver/quantity.hpp"
#include "miniapps/structured/case.hpp"
#include "miniapps/structured/whole/whole_flow.hpp"

namespace weir {

struct SideSurface {
  std::string name;
  int side = 0;
  double velocity = 0, length = 0, difference = 0;  // reference values of cf and nusselt; 0: none
};

Options side_surface_options();
std::vector<SideSurface> read_side_surfaces(const Table& config, const IncompressibleCase& c);

// Distributions along the first direction t of the side, averaged over the other one: the coordinate, the shear mu
// du_t/dn (n into the fluid; by the parabola through the value on the side and two inside), the pressure next to the
// side, and for each scalar at cell centres the flux into the fluid, -diffusivity ds/dn (by the same parabola).
struct SideFlux {
  std::vector<double> x, flux;
  double mean = 0;
};
struct SideShear {
  std::vector<double> x, shear, pressure;
  std::vector<SideFlux> scalars;  // in the order of IncompressibleCase::scalars
};
SideShear shear_along(const IncompressibleCase& c, const WholeFlow& flow, int side);

// The first position at which the shear becomes negative and the last at which it becomes positive, by linear
// interpolation; NaN: none.
struct ShearTurns {
  double separation, reattachment;
};
ShearTurns turns_of(const SideShear& s);

// Writes FOLDER/NAME.csv for each surface; returns the values of surface_quantities().
std::map<std::string, double> write_side_surfaces(const std::string& folder, const std::vector<SideSurface>& surfaces,
                                                  const IncompressibleCase& c, const WholeFlow& flow);
// Columns of history.csv: the mean fluxes of scalars.
std::vector<std::string> columns_of(const std::vector<SideSurface>& surfaces, const IncompressibleCase& c);
std::map<std::string, double> mean_fluxes(const std::vector<SideSurface>& surfaces, const IncompressibleCase& c,
                                          const WholeFlow& flow);
QuantityTable surface_columns();
std::vector<std::string> quantities_of(const std::vector<SideSurface>& surfaces, const IncompressibleCase& c);
QuantityTable surface_quantities();

}  // namespace weir
