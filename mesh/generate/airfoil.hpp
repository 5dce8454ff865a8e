// NACA 4-digit airfoils (Jacobs, Ward & Pinkerton 1933, NACA report 460) of chord 1 from (0, 0) to (1, 0):
//
//   y_t = 5 t (0.2969 sqrt(x) - 0.1260 x - 0.3516 x^2 + 0.2843 x^3 + a4 x^4),  perpendicular to the camber line
//
// Trailing edges (they change the lift of the transonic NACA 0012 by 4 %):
//   closed     a4 = -0.1036: sharp at x = 1
//   open       a4 = -0.1015: as in the report, blunt, 0.252 % thick for 12 % airfoils
//   extended   a4 = -0.1015 extended to its intersection at x = 1.00893, scaled to chord 1 (Vassberg & Jameson 2010)
#pragma once
#include <string>
#include <vector>

#include "mesh/generate/predicates.hpp"

namespace weir {

enum class TrailingEdge { closed, open, extended };

class Airfoil {
 public:
  Airfoil(double thickness, double camber, double camber_position, TrailingEdge edge);
  bool is_sharp() const { return edge_ != TrailingEdge::open; }
  // Surface point at parameter s in [0, 1] (chord x = s^2, because the nose is round); side +1: upper, -1: lower.
  Point at(double s, int side) const;

 private:
  double half_thickness(double x) const;
  double thickness_, camber_, position_, a4_, scale_ = 1;
  TrailingEdge edge_;
};

// The n + 1 nodes of one side from leading to trailing edge, with end spacings of about `leading`, `trailing`.
std::vector<Point> airfoil_side(const Airfoil& airfoil, int side, int n, double leading, double trailing);

}  // namespace weir
