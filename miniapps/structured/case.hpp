// The case file of an incompressible flow, read and checked. Errors name file and line.
#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/key_table.hpp"
#include "base/table.hpp"
#include "mesh/structured/grid.hpp"
#include "miniapps/structured/coupled_options.hpp"
#include "miniapps/structured/sides/patch.hpp"
#include "miniapps/structured/sides/scalar_case.hpp"

namespace weir {

// In the order of the words of the keys in [flow].
enum class Scheme { fractional_step, artificial_compressibility };

// exact_formula: for `exact` only.
enum class Initial {
  rest,
  uniform,
  taylor_green_2d,
  taylor_green_3d,
  poiseuille,
  womersley,
  turbulent_channel,
  formula,
  exact_formula
};

enum class Turbulence { none, k_omega };

struct TimeControl {
  double end = 0;
  double dt = 0;  // fixed time step; 0: from the CFL number
  double cfl = 0;
  double steady_tolerance = 0;   // the run stops when max |du/dt| is below this; 0: off
  int steady_every = 10;         // number of steps between two checks
  bool steady_relative = false;  // the check is that of all variables, each relative to its size
  bool steady = false;           // no physical time, only pseudo-time steps (artificial compressibility)
};

struct IncompressibleCase {
  std::string title;
  Scheme scheme = Scheme::fractional_step;
  Turbulence turbulence = Turbulence::none;
  Grid grid;
  double density = 1;
  double viscosity = 0;       // kinematic: dynamic viscosity of the case divided by the density
  double body_force[3] = {};  // acceleration, without the modulation; formulas: about the largest value at t = 0
  Modulation force_modulation;
  bool force_has_formula = false;
  VectorFormula force_formula;  // used instead of `body_force`
  Initial initial = Initial::rest;
  Initial exact = Initial::rest;    // solution from which errors are measured; rest: none
  double initial_perturbation = 0;  // perturbation of "turbulent_channel", in units of u_tau
  double initial_velocity[3] = {};  // velocity of "uniform"; the other flows move with it
  VectorFormula initial_formula;    // initial velocity of "formula"
  VectorFormula exact_velocity;     // velocity of exact = "formula"
  bool exact_has_pressure = false;
  Formula exact_pressure;
  std::vector<SidePatch> patches;   // in the order of the sides: x_min, x_max, y_min, y_max, z_min, z_max
  std::vector<ScalarCase> scalars;  // the temperature, if any, is the first
  TimeControl time;
  CoupledOptions coupled;  // options of artificial compressibility

  // The first patch of a side; all patches of a side have the same has_velocity().
  const SidePatch& side(int d, int end) const {
    return *std::ranges::find_if(patches, [&](const SidePatch& p) { return p.side == 2 * d + end; });
  }
  // Unknowns per cell of the coupled scheme.
  int unknowns() const { return dim() + 1 + (turbulence == Turbulence::k_omega ? 2 : 0); }
  int dim() const { return grid.is_2d() ? 2 : 3; }
  bool has_exact() const { return exact != Initial::rest; }
  bool has_exact_pressure() const { return exact == Initial::taylor_green_2d || exact_has_pressure; }
  bool is_periodic(int d) const { return side(d, 0).type == SidePatch::Type::periodic; }
  // True if a parabolic profile is uniform along d: in a periodic direction, and in z between slip sides.
  bool is_uniform_along(const SidePatch& p, int d) const {
    const bool is_free = is_periodic(d) || (d == 2 && dim() == 3 && side(d, 0).type == SidePatch::Type::slip &&
                                            side(d, 1).type == SidePatch::Type::slip);
    return is_free && p.first[d] == 0 && p.last[d] == grid.cells(d);
  }
  // Scales for the first time step of a flow that starts from rest, along d or for a scalar: the largest body force,
  // speed of the sides, |s - reference|, flux through the sides and the body, and source. Formulas are sampled at some
  // points.
  double largest_force(int d, double t) const;
  double largest_speed(int d, double t) const;
  double largest_excess(std::size_t scalar, double t) const;
  double largest_flux(std::size_t scalar, double t) const;
  double largest_source(std::size_t scalar, double t) const;
  // Called while the case is read, for the first time step: they set body_force from a formula, and |s - reference| of
  // the initial field.
  void take_largest_force();
  void take_initial_excess();
  bool has_outlet() const {
    return std::ranges::any_of(patches, [](const SidePatch& p) { return p.type == SidePatch::Type::outlet; });
  }
};

// Reads numbers into v, one per direction of the flow (or 3), or formulas of `variables` into f. Returns true if there
// was a formula.
bool read_vector(const Table& t, const char* key, int dim, double (&v)[3], VectorFormula& f,
                 std::string_view variables);

std::vector<KeyTable> carried_keys();
std::vector<KeyTable> structured_keys();      // keys of the incompressible and the immersed miniapp
std::vector<KeyTable> incompressible_keys();  // includes the keys of artificial compressibility

// Reads [grid], [flow], [boundary] and [time] of the whole case file.
IncompressibleCase read_incompressible_case(const Table& config);

}  // namespace weir
