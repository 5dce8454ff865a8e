// The largest values of a case that limit the time step. Formulas are sampled at some points.
#include <algorithm>
#include <cmath>

#include "miniapps/structured/case.hpp"

namespace weir {
namespace {

// 512 points in the grid.
template <class F>
void for_some_places(const IncompressibleCase& c, const F& body) {
  double x[3];
  for (int n = 0; n < 512; ++n) {
    for (int d = 0; d < 3; ++d) {
      const GridLine& line = c.grid.line[d];
      x[d] = line.faces.front() + line.length() * (0.5 + ((n >> (3 * d)) & 7)) / 8;
    }
    body(x);
  }
}
// The centres of at most 64 cells of a patch, including its ends.
template <class F>
void for_some_places_of(const IncompressibleCase& c, const SidePatch& p, const F& body) {
  double x[3];
  for (int n = 0; n < 64; ++n) {
    for (int d = 0; d < 3; ++d) {
      const GridLine& line = c.grid.line[d];
      if (d == p.side / 2) {
        x[d] = p.side % 2 == 0 ? line.faces.front() : line.faces.back();
        continue;
      }
      const int other = d == (p.side / 2 == 0 ? 1 : 0) ? n % 8 : n / 8, cells = p.last[d] - p.first[d];
      x[d] = line.centre[static_cast<std::size_t>(p.first[d] + (cells - 1) * other / 7)];
    }
    body(x);
  }
}

}  // namespace

void IncompressibleCase::take_largest_force() {
  for_some_places(*this, [&](const double(&x)[3]) {
    for (int d = 0; d < 3; ++d)
      body_force[d] = std::max(body_force[d], std::abs(force_formula[static_cast<std::size_t>(d)].at(x, 0)));
  });
}

void IncompressibleCase::take_initial_excess() {
  if (time.dt > 0) return;
  for (ScalarCase& s : scalars) {
    const auto take = [&](double value) { s.excess_within = std::max(s.excess_within, std::abs(value - s.reference)); };
    double x[3] = {};
    if (!s.drives_flow()) continue;
    if (s.initial.is_constant()) {
      take(s.initial.at(x, 0));
      continue;
    }
    for (const double z : grid.line[2].centre)
      for (const double y : grid.line[1].centre)
        for (const double at : grid.line[0].centre) {
          x[0] = at, x[1] = y, x[2] = z;
          take(s.initial.at(x, 0));
        }
  }
}

double IncompressibleCase::largest_force(int d, double t) const {
  if (!force_has_formula) return std::abs(body_force[d]) * force_modulation.largest();
  double largest = t == 0 ? std::abs(body_force[d]) : 0;
  if (t > 0)
    for_some_places(*this, [&](const double(&x)[3]) {
      largest = std::max(largest, std::abs(force_formula[static_cast<std::size_t>(d)].at(x, t)));
    });
  return largest;
}

double IncompressibleCase::largest_speed(int d, double t) const {
  double largest = 0;
  for (const SidePatch& p : patches) {
    double speed = std::abs(p.velocity[d]);
    if (t > 0 && p.has_formula)
      for_some_places_of(*this, p, [&](const double(&x)[3]) {
        speed = std::max(speed, std::abs(p.formula[static_cast<std::size_t>(d)].at(x, t)));
      });
    largest = std::max(largest, speed * p.modulation.largest());
  }
  return largest;
}

double IncompressibleCase::largest_excess(std::size_t s, double t) const {
  const ScalarCase& scalar = scalars[s];
  double largest = scalar.excess_within;
  for (const SidePatch& p : patches)
    if (p.fixes(s))
      for_some_places_of(*this, p, [&](const double(&x)[3]) {
        largest = std::max(largest, std::abs(p.scalars[s].value.at(x, t) - scalar.reference));
      });
  return largest;
}

double IncompressibleCase::largest_flux(std::size_t s, double t) const {
  double largest = scalars[s].flux_of_body;
  for (const SidePatch& p : patches)
    if (s < p.scalars.size() && !p.scalars[s].is_fixed)
      for_some_places_of(
          *this, p, [&](const double(&x)[3]) { largest = std::max(largest, std::abs(p.scalars[s].value.at(x, t))); });
  return largest;
}

double IncompressibleCase::largest_source(std::size_t s, double t) const {
  double largest = 0;
  for_some_places(*this,
                  [&](const double(&x)[3]) { largest = std::max(largest, std::abs(scalars[s].source.at(x, t))); });
  return largest;
}

}  // namespace weir
