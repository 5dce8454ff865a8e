// Separable operators of many shapes for tests.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "solvers/matrix/stencil/separable_operator.hpp"
#include "tests/support/systems/dense.hpp"

namespace weir::test {

// n cells between 0 and `length`, widths varying by a factor of up to three where stretched.
inline Numbers faces_of(int n, double length, bool stretched, unsigned seed = 1) {
  Numbers faces{0};
  for (const double jitter : random_numbers(n, seed))
    faces.push_back(faces.back() + (stretched ? 1 + 0.5 * jitter : 1));
  const double factor = length / faces.back();
  for (auto& f : faces) f *= factor;
  return faces;
}

using Ends = std::array<EndCondition, 2>;
inline constexpr Ends all_ends[] = {{EndCondition::neumann, EndCondition::neumann},
                                    {EndCondition::dirichlet, EndCondition::dirichlet},
                                    {EndCondition::neumann, EndCondition::dirichlet},
                                    {EndCondition::dirichlet, EndCondition::neumann},
                                    {EndCondition::periodic, EndCondition::periodic}};

struct OperatorCase {
  std::string name;
  SeparableOperator op;
};

// Sizes from a single cell to 3D x end conditions x uniform and stretched x with and without a shift.
inline std::vector<OperatorCase> operator_cases() {
  const Extents sizes[] = {{1, 1, 1}, {7, 1, 1}, {1, 6, 1}, {1, 1, 5}, {2, 2, 2},
                           {6, 5, 1}, {5, 1, 4}, {6, 5, 4}, {19, 3, 2}};
  std::vector<OperatorCase> cases;
  unsigned seed = 1;
  for (const Extents& e : sizes)
    for (std::size_t x = 0; x < 5; ++x)
      for (std::size_t shifted = 0; shifted < 2; ++shifted)
        for (const bool stretched : {false, true}) {
          const std::size_t y = (shifted ? x + 1 : x * x) % 5, z = (2 * x + shifted) % 5;
          const std::size_t ends[] = {x, y, z};
          const int n[] = {e.nx, e.ny, e.nz};
          const double length[] = {1, 0.7, 1.3};
          OperatorCase c;
          for (std::size_t d = 0; d < 3; ++d) {
            const Ends end = all_ends[ends[d]];
            c.op.direction[d] = cell_centred_direction(faces_of(n[d], length[d], stretched, ++seed), end[0], end[1]);
            c.name += std::to_string(n[d]) + (d < 2 ? "x" : " ends ");
          }
          for (const auto end : ends) c.name += std::to_string(end);
          c.name += std::string(stretched ? " stretched" : " uniform") + (shifted ? " shifted" : "");
          c.op.shift = shifted ? 3.5 : 0;
          c.op.scale = shifted ? 0.25 : 1;
          cases.push_back(c);
        }
  return cases;
}

// A box of unit length with the same condition at all ends.
inline SeparableOperator box(Extents e, EndCondition end, bool stretched, double shift = 0) {
  SeparableOperator op;
  const int n[] = {e.nx, e.ny, e.nz};
  for (std::size_t d = 0; d < 3; ++d)
    op.direction[d] = cell_centred_direction(faces_of(n[d], 1.0, stretched, static_cast<unsigned>(d) + 1), end, end);
  op.shift = shift;
  return op;
}

}  // namespace weir::test
