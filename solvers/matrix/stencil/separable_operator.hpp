// A 7-point operator that is a sum of Kronecker products (Lynch, Rice & Thomas 1964), given by 1D arrays only:
//   A = shift Mz(x)My(x)Mx + scale ( Mz(x)My(x)Kx + Mz(x)Ky(x)Mx + Kz(x)My(x)Mx )
// M is the diagonal of control-volume widths of a direction, K its tridiagonal stiffness (cyclic where periodic):
//   (K x)_i = lower_i (x_i - x_{i-1}) + upper_i (x_i - x_{i+1}) + boundary_i x_i ,   lower_{i+1} = upper_i .
// A is symmetric positive (semi-)definite: the finite-volume form of shift - scale laplacian, rows times volumes.
// It holds on any stretched tensor grid and for every mix of Dirichlet, Neumann and periodic conditions.
#pragma once
#include <array>
#include <vector>

#include "solvers/device/space.hpp"

namespace weir {

struct SeparableDirection {
  std::vector<double> mass;      // n
  std::vector<double> lower;     // n; lower[0] couples to the last unknown if periodic, else 0
  std::vector<double> upper;     // n; upper[n-1] == lower[0]
  std::vector<double> boundary;  // n; contribution of Dirichlet conditions to the diagonal, else 0
  bool periodic = false;

  int size() const { return static_cast<int>(mass.size()); }
  bool operator==(const SeparableDirection&) const = default;
  // Equal widths and interior couplings, so that cosine, sine or Fourier transforms diagonalise it.
  bool is_uniform() const;
};

struct SeparableOperator {
  std::array<SeparableDirection, 3> direction;  // x, y, z; one unknown without coupling: the direction is absent (2D)
  double shift = 0;
  double scale = 1;

  Extents extents() const { return {direction[0].size(), direction[1].size(), direction[2].size()}; }
  bool has_constant_null_space() const;  // shift == 0 and no boundary terms
};

enum class EndCondition { neumann, dirichlet, periodic };

// Unknowns at the cell centres between faces[0..n]; Dirichlet values on the end faces.
SeparableDirection cell_centred_direction(const std::vector<double>& faces, EndCondition low, EndCondition high);

// Unknowns on the inner faces 1..n-1 (periodic: 0..n-1), Dirichlet values on the end faces: the normal velocity
// component on a staggered grid. Neumann: the end face is an unknown with half a width.
SeparableDirection face_centred_direction(const std::vector<double>& faces, EndCondition low, EndCondition high);

}  // namespace weir
