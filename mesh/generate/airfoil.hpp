// NACA 4-digit airfoils (Jacobs, Ward & Pinkerton 1933, NACA report 460) of chord 1 from (0, 0) to (1, 0):
//
//   y_t = 5 t (0.2969 sqrt(x) - 0.1260 x - 0.3516 x^2 + 0.2843 x^3 + a4 x^4),  perpendicular to the camber line
//
// and their trailing edge, which changes the lift of the transonic NACA 0012 by 4 %:
//   closed     a4 = -0.1036: sharp at x = 1
//   open       a4 = -0.1015: the report's, blunt, 0.252 % thick for 12 % airfoils
//   extended   a4 = -0.1015 prolonged to where it closes (x = 1.00893) and scaled back to chord 1 (Vassberg & Jameson 2010)
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
  // The surface at parameter s in [0, 1] (x of the chord is s^2: the nose is round); side +1 above, -1 below.
  Point at(double s, int side) const;

 private:
  double half_thickness(double x) const;
  double thickness_, camber_, position_, a4_, scale_ = 1;
  TrailingEdge edge_;
};

// Nodes of one side from the leading edge to the trailing edge, n + 1, with spacings of about `leading` and `trailing`
// at the ends.
std::vector<Point> airfoil_side(const Airfoil& airfoil, int side, int n, double leading, double trailing);

}  // namespace weir
