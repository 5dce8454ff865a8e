// What a case file says about an incompressible flow, checked. Anything wrong is refused with file and line.
#pragma once
#include <array>
#include <cmath>
#include <string>

#include "base/key_table.hpp"
#include "base/table.hpp"
#include "mesh/structured/grid.hpp"
#include "miniapps/artificial_compressibility/options.hpp"

namespace weir {

// factor(t) = mean + amplitude cos(angular_frequency t + phase)
struct Modulation {
  double mean = 1, amplitude = 0, angular_frequency = 0, phase = 0;
  bool is_constant() const { return amplitude == 0; }
  double largest() const { return std::abs(mean) + std::abs(amplitude); }
  double at(double t) const {
    return is_constant() ? mean : mean + amplitude * std::cos(angular_frequency * t + phase);
  }
};

// One end of the box.
struct Side {
  enum class Type { wall, slip, inlet, outlet, periodic };
  enum class Profile { constant, parabolic };
  Type type = Type::wall;
  double velocity[3] = {};  // wall, inlet: times the profile and the modulation
  Profile profile = Profile::constant;
  Modulation modulation;

  // The velocity is known on this side: all components, or (slip) the normal one alone.
  bool has_velocity() const { return type == Type::wall || type == Type::inlet || type == Type::outlet; }
  bool changes_in_time() const { return type == Type::outlet || (has_velocity() && !modulation.is_constant()); }
};

// These in the order of the words of [flow], those of a side in that of [boundary].
enum class Scheme { fractional_step, artificial_compressibility };

enum class Initial { rest, uniform, taylor_green_2d, taylor_green_3d, poiseuille, womersley, turbulent_channel };

enum class Turbulence { none, k_omega };

struct TimeControl {
  double end = 0;
  double dt = 0;  // fixed; 0: from the CFL number
  double cfl = 0;
  double steady_tolerance = 0;  // stop where max |du/dt| is below; 0: off
  int steady_every = 10;        // steps between two looks
  bool steady = false;          // no time at all: pseudo-time steps alone (artificial compressibility)
};

struct IncompressibleCase {
  std::string title;
  Scheme scheme = Scheme::fractional_step;
  Turbulence turbulence = Turbulence::none;
  Grid grid;
  double density = 1;
  double viscosity = 0;       // kinematic: the file's dynamic viscosity over the density
  double body_force[3] = {};  // acceleration, times the modulation
  Modulation force_modulation;
  Initial initial = Initial::rest;
  Initial exact = Initial::rest;    // the solution that errors are measured against; rest: none
  double initial_perturbation = 0;  // of "turbulent_channel", in units of u_tau
  double initial_velocity[3] = {};  // of "uniform"; the others are carried along with it
  std::array<Side, 6> sides;        // x_min, x_max, y_min, y_max, z_min, z_max
  TimeControl time;
  CoupledOptions coupled;  // of artificial compressibility

  const Side& side(int d, int end) const { return sides[2 * d + end]; }
  int unknowns() const { return dim() + 1 + (turbulence == Turbulence::k_omega ? 2 : 0); }  // a cell, coupled scheme
  int dim() const { return grid.is_2d() ? 2 : 3; }
  bool has_exact() const { return exact != Initial::rest; }
  bool is_periodic(int d) const { return side(d, 0).type == Side::Type::periodic; }
};

extern const std::array<const char*, 6> side_names;

std::vector<KeyTable> structured_keys();      // of the incompressible and the immersed miniapp
std::vector<KeyTable> incompressible_keys();  // with those of artificial compressibility

// Reads [grid], [flow], [boundary] and [time] of the whole case file.
IncompressibleCase read_incompressible_case(const Table& config);

}  // namespace weir
