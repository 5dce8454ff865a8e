// States on either side of a face, of every kind that a flux tells apart.
#pragma once
#include <random>
#include <vector>

#include "physics/gas.hpp"

namespace weir::test {

struct FaceStates {
  Primitive<double> l, r;
  double nx, ny;
};

// Normal Mach numbers of both sides from -2 to 2, jumps of tens of per cent: sub- and supersonic, either way.
inline std::vector<FaceStates> face_states(int count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<FaceStates> all;
  for (int k = 0; k < count; ++k) {
    const double angle = 6.28 * unit(random), nx = std::cos(angle), ny = std::sin(angle);
    const auto state = [&](double mach) {
      const double p = 1 + unit(random), t = 0.7 + 0.6 * unit(random), a = 2 * std::sqrt(t);  // a^2 = T / M^2, M = 1/2
      const double un = mach * a, ut = unit(random) - 0.5;
      return Primitive<double>{p, un * nx - ut * ny, un * ny + ut * nx, t};
    };
    const double mach = -2 + 4 * unit(random);
    all.push_back({state(mach), state(mach + 0.4 * (unit(random) - 0.5)), nx, ny});
  }
  return all;
}

inline Gas test_gas() {
  Gas g;
  g.gamma = 1.4;
  g.gamma_m2 = 1.4 * 0.25;
  g.viscosity = 0.02;
  g.sutherland = 0.38;
  g.conduction = 1 / (0.72 * 0.4 * 0.25);
  return g;
}

}  // namespace weir::test
