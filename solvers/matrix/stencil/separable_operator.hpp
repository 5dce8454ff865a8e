// A 7-point operator that is a sum of Kronecker products (Lynch, Rice & Thomas 1964), given by 1D arrays only:
//   A = shift Mz(x)My(x)Mx + scale ( Mz(x)My(x)Kx + Mz(x)Ky(x)Mx + Kz(x)My(x)Mx )
// M is the diagonal of control-volume widths of a direction, K its tridiagonal stiffness (cyclic where periodic):
//   (K x)_i = lower_i (x_i - x_{i-1}) + upper_i (x_i - x_{i+1}) + boundary_i x_i ,   lower_{i+1} = upper_i .
// A is symmetric positive (semi-)definite: the finite-volume form of shift - scale laplacian, rows multiplied by volumes.
// It holds on any stretched tensor grid and for every mix of Dirichlet, Neumann and periodic conditions.
#pragma once
#include <array>
#include <vector>

#include "solvers/device/space.hpp"

namespace weir {

struct SeparableDirection {
  std::vector<double> mass;      // n
  std::vector<double> lower;     // n; lower[0] couples to the last unknown where periodic, else 0
  std::vector<double> upper;     // n; upper[n-1] == lower[0]
  std::vector<double> boundary;  // n; what Dirichlet conditions add to the diagonal, else 0
  bool periodic = false;

  int size() const { return static_cast<int>(mass.size()); }
  bool operator==(const SeparableDirection&) const = default;
  // Equal widths and couplings in the interior, so that cosine, sine or Fourier transforms diagonalise it.
  bool is_uniform() const;
};

struct SeparableOperator {
  std::array<SeparableDirection, 3> direction;  // x, y, z; a direction of one unknown without coupling drops out (2D)
  double shift = 0;
  double scale = 1;

  Extents extents() const { return {direction[0].size(), direction[1].size(), direction[2].size()}; }
  bool has_constant_null_space() const;  // shift == 0 and no boundary term anywhere
};

enum class EndCondition { neumann, dirichlet, periodic };

// The unknowns sit at cell centres between faces[0..n]; a Dirichlet value sits on the end face.
SeparableDirection cell_centred_direction(const std::vector<double>& faces, EndCondition low, EndCondition high);

// The unknowns sit on the inner faces 1..n-1 (0..n-1 where periodic), the Dirichlet values on the end faces: the velocity
// component normal to them, on a staggered grid. Neumann at an end: that end face is an unknown too, with half a width.
SeparableDirection face_centred_direction(const std::vector<double>& faces, EndCondition low, EndCondition high);

}  // namespace weir
