// A part of a side of the box with one boundary condition: a rectangle of the side's cells, or all of them.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "inputs/formula.hpp"

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

struct SideScalar {
  bool is_fixed = false;  // otherwise its flux into the fluid is given (heat: divided by density and heat capacity)
  Formula value;          // given value or flux
};

struct SidePatch {
  // In the order of the words of [boundary]. The face between two patches belongs to the type that comes first in this
  // list.
  enum class Type { wall, slip, inlet, outlet, periodic };
  enum class Profile { constant, parabolic };
  int side = 0;       // side of the box: x_min, x_max, y_min, ...
  int first[3] = {};  // cells along each direction of the side, first .. last - 1 of the whole grid
  int last[3] = {1, 1, 1};
  Type type = Type::wall;
  // Velocity of a wall or inlet, without profile and modulation; formulas: the largest value at t = 0.
  double velocity[3] = {};
  bool has_formula = false;
  VectorFormula formula;  // used instead of `velocity`
  Profile profile = Profile::constant;
  Modulation modulation;
  std::vector<SideScalar> scalars;  // in the order of IncompressibleCase::scalars

  bool fixes(std::size_t scalar) const { return scalar < scalars.size() && scalars[scalar].is_fixed; }
  // Whether the velocity is known: all components, or (slip) only the normal one.
  bool has_velocity() const { return type == Type::wall || type == Type::inlet || type == Type::outlet; }
  bool changes_in_time() const {
    return type == Type::outlet || (has_velocity() && (!modulation.is_constant() || depends_on_time(formula)));
  }
  bool holds(int d1, int i1, int d2, int i2) const {
    return i1 >= first[d1] && i1 < last[d1] && i2 >= first[d2] && i2 < last[d2];
  }
};

}  // namespace weir
