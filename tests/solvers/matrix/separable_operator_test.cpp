// The 1D directions of which pressure and velocity operators are made: symmetry, null space, order of accuracy.
#include "tests/support/systems/operators.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <stdexcept>

namespace weir::test::separable_operator_test {
namespace {

constexpr double pi = std::numbers::pi;

TEST(SeparableOperator, IsSymmetricForEveryEndCondition) {
  for (const auto& [name, op] : operator_cases()) {
    const Dense a = dense(op);
    const double bound = 4 * eps * a.max_norm();
    for (int i = 0; i < a.n; ++i)
      for (int j = 0; j < i; ++j) EXPECT_NEAR(a(i, j), a(j, i), bound) << name;
  }
}

TEST(SeparableOperator, KillsTheConstantExactlyWhereItSaysSo) {
  int singular = 0;
  for (const auto& [name, op] : operator_cases()) {
    const Dense a = dense(op);
    const double image = max_norm(a * Numbers(static_cast<std::size_t>(a.n), 1.0));
    if (op.has_constant_null_space()) {
      EXPECT_LE(image, 16 * eps * (a.max_norm() + 1)) << name;
      ++singular;
    } else {
      EXPECT_GT(image, 1e-3 * a.max_norm()) << name;
    }
  }
  EXPECT_GT(singular, 0);
}

TEST(SeparableOperator, OneUniformDirectionHasTheKnownStencil) {
  const auto d = cell_centred_direction({0, 1, 2, 3}, EndCondition::dirichlet, EndCondition::neumann);
  const Dense k = stiffness_matrix(d);
  const Numbers expected = {3, -1, 0, -1, 2, -1, 0, -1, 1};  // half a cell to the Dirichlet wall: 2 + 1
  EXPECT_EQ(k.a, expected);
  EXPECT_TRUE(d.is_uniform());
  EXPECT_FALSE(cell_centred_direction({0, 1, 2.5, 3}, EndCondition::neumann, EndCondition::neumann).is_uniform());
}

TEST(SeparableOperator, PeriodicEndsCoupleTheFirstAndTheLast) {
  const Dense k =
      stiffness_matrix(cell_centred_direction({0, 1, 2, 3}, EndCondition::periodic, EndCondition::periodic));
  const Numbers expected = {2, -1, -1, -1, 2, -1, -1, -1, 2};
  EXPECT_EQ(k.a, expected);
}

TEST(SeparableOperator, RefusesImpossibleDirections) {
  EXPECT_THROW(cell_centred_direction({0}, EndCondition::neumann, EndCondition::neumann), std::invalid_argument);
  EXPECT_THROW(cell_centred_direction({0, 1}, EndCondition::periodic, EndCondition::neumann), std::invalid_argument);
  EXPECT_THROW(face_centred_direction({0, 1}, EndCondition::dirichlet, EndCondition::dirichlet), std::invalid_argument);
}

Numbers stretched_faces(int n) {  // a smooth map, so that the truncation error stays second order
  Numbers faces;
  for (int i = 0; i <= n; ++i) {
    const double s = static_cast<double>(i) / n;
    faces.push_back(s + 0.1 * std::sin(2 * pi * s) / (2 * pi) * 3);
  }
  return faces;
}

// The largest error of  u - u'' = f  solved with n cells, u given with its second derivative, homogeneous ends.
template <class U>
double solution_error(const SeparableDirection& d, const Numbers& at, const U& u, double second_derivative_factor) {
  Dense a = stiffness_matrix(d);
  Numbers b(at.size());
  for (int i = 0; i < a.n; ++i) {
    const auto s = static_cast<std::size_t>(i);
    a(i, i) += d.mass[s];
    b[s] = d.mass[s] * (1 + second_derivative_factor) * u(at[s]);
  }
  Numbers exact;
  for (const double x : at) exact.push_back(u(x));
  return max_difference(dense_solve(a, b), exact);
}

Numbers centres(const Numbers& faces) {
  Numbers c;
  for (std::size_t i = 0; i + 1 < faces.size(); ++i) c.push_back(0.5 * (faces[i] + faces[i + 1]));
  return c;
}

// Halving the cells quarters the error: 2.0 within 0.15 between 40 and 80 cells.
void expect_second_order(double coarse, double fine) { EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.15); }

TEST(SeparableOperator, CellCentredSolutionsAreSecondOrderOnStretchedGrids) {
  const auto sine = [](double x) { return std::sin(pi * x); };
  const auto cosine = [](double x) { return std::cos(pi * x); };
  const auto wave = [](double x) { return std::sin(2 * pi * x + 0.3); };
  const auto error = [&](int n, EndCondition end) {
    const Numbers faces = stretched_faces(n);
    const auto d = cell_centred_direction(faces, end, end);
    if (end == EndCondition::dirichlet) return solution_error(d, centres(faces), sine, pi * pi);
    if (end == EndCondition::neumann) return solution_error(d, centres(faces), cosine, pi * pi);
    return solution_error(d, centres(faces), wave, 4 * pi * pi);
  };
  for (const auto end : {EndCondition::dirichlet, EndCondition::neumann, EndCondition::periodic})
    expect_second_order(error(40, end), error(80, end));
}

TEST(SeparableOperator, FaceCentredSolutionsAreSecondOrderOnStretchedGrids) {
  const auto sine = [](double x) { return std::sin(pi * x); };
  const auto wave = [](double x) { return std::sin(2 * pi * x + 0.3); };
  const auto half = [](double x) { return std::sin(0.5 * pi * x); };  // Dirichlet at 0, Neumann at 1
  const auto inner = [](const Numbers& faces, std::size_t first, std::size_t last) {
    return Numbers(faces.begin() + static_cast<std::ptrdiff_t>(first),
                   faces.begin() + static_cast<std::ptrdiff_t>(last));
  };
  const auto error = [&](int n, int which) {
    const Numbers faces = stretched_faces(n);
    const auto N = static_cast<std::size_t>(n);
    if (which == 0)
      return solution_error(face_centred_direction(faces, EndCondition::dirichlet, EndCondition::dirichlet),
                            inner(faces, 1, N), sine, pi * pi);
    if (which == 1)
      return solution_error(face_centred_direction(faces, EndCondition::periodic, EndCondition::periodic),
                            inner(faces, 0, N), wave, 4 * pi * pi);
    return solution_error(face_centred_direction(faces, EndCondition::dirichlet, EndCondition::neumann),
                          inner(faces, 1, N + 1), half, 0.25 * pi * pi);
  };
  for (const int which : {0, 1, 2}) expect_second_order(error(40, which), error(80, which));
}

}  // namespace
}  // namespace weir::test::separable_operator_test
