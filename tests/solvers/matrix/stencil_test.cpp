// Stencil matrices against the dense Kronecker sum, in both spaces, for every end condition.
#include <omp.h>

#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/operators.hpp"
#include "tests/support/systems/products.hpp"

namespace weir::test::stencil_test {
namespace {

template <class Space>
class Stencil : public ::testing::Test {};
TYPED_TEST_SUITE(Stencil, Spaces, SpaceName);

TYPED_TEST(Stencil, SeparableEqualsTheDenseKroneckerSum) {
  for (const auto& [name, op] : operator_cases()) {
    const SeparableStencil<TypeParam> A(op);
    expect_equal_products<TypeParam>(A, dense(op), name);
    EXPECT_EQ(A.has_constant_null_space(), op.has_constant_null_space()) << name;
  }
}

TYPED_TEST(Stencil, SeparableHoldsOnFaceCentredUnknowns) {
  for (const auto& ends : all_ends) {
    SeparableOperator op;
    op.direction[0] = face_centred_direction(faces_of(6, 1, true), ends[0], ends[1]);
    op.direction[1] = cell_centred_direction(faces_of(4, 1, true), EndCondition::dirichlet, EndCondition::neumann);
    op.direction[2] = cell_centred_direction(faces_of(3, 1, true), EndCondition::periodic, EndCondition::periodic);
    op.shift = 2;
    expect_equal_products<TypeParam>(SeparableStencil<TypeParam>(op), dense(op), "face centred");
  }
}

TYPED_TEST(Stencil, SetCoefficientsEqualsANewMatrix) {
  SeparableOperator op = box({6, 5, 4}, EndCondition::neumann, true);
  SeparableStencil<TypeParam> A(op);
  EXPECT_TRUE(A.has_constant_null_space());
  A.set_coefficients(7, 0.5);
  op.shift = 7;
  op.scale = 0.5;
  EXPECT_FALSE(A.has_constant_null_space());
  expect_equal_products<TypeParam>(A, dense(op), "new coefficients");
}

// Sizes at which a thread takes 4 cells in z; no side is a multiple of that (columns.hpp).
TEST(StencilOnTheDevice, ColumnsOfCellsGiveWhatTheHostGives) {
  for (const Extents e : {Extents{67, 65, 61}, Extents{97, 91, 90}})
    for (const EndCondition ends : {EndCondition::periodic, EndCondition::dirichlet}) {
      const SeparableOperator op = box(e, ends, true, 1.0);
      const SeparableStencil<Host> A(op);
      const SeparableStencil<Device> B(op);
      const Numbers numbers = random_numbers(A.size(), 3), other = random_numbers(A.size(), 4);
      const Array<double, Host> x(numbers), b(other);
      const Array<double, Device> X(numbers), R(other);
      Array<double, Host> y(A.size()), z(numbers);
      Array<double, Device> Y(A.size()), Z(numbers);
      // A value is a dozen terms; sums of this many of one sign are good to eps times the logarithm of their number.
      const auto expect_equal = [&](double here, double there, const char* what) {
        EXPECT_NEAR(there, here, 100 * eps * std::abs(here)) << what << " " << e.nx;
        const Numbers on_host = y.to_vector();
        EXPECT_LE(max_difference(on_host, Y.to_vector()), 100 * eps * max_norm(on_host)) << what << " " << e.nx;
      };
      A.apply(x, y), B.apply(X, Y);
      expect_equal(0, 0, "apply");
      const double rr = A.residual_dot(b, x, y), RR = B.residual_dot(R, X, Y);
      expect_equal(rr, RR, "residual_dot");
      const Pair start = A.chebyshev_start(0.1, b, x, y), Start = B.chebyshev_start(0.1, R, X, Y);
      expect_equal(start.a, Start.a, "chebyshev_start");
      EXPECT_NEAR(Start.b, start.b, 100 * eps * start.b);
      ChebyshevSteps steps;
      steps.count = 1;
      steps.alpha[0] = 0.3;
      steps.omega[0] = 0.2;
      steps.residual = true;
      const double square = A.chebyshev_steps(steps, b, z, y), Square = B.chebyshev_steps(steps, R, Z, Y);
      expect_equal(square, Square, "chebyshev_steps");
    }
}

TEST(StencilThreads, ProductsDoNotDependOnTheNumberOfThreads) {
  const SeparableOperator op = box({33, 40, 21}, EndCondition::periodic, true, 1.0);
  const SeparableStencil<Host> A(op);
  const Array<double, Host> x(random_numbers(A.size(), 3)), b(random_numbers(A.size(), 4));
  Array<double, Host> y(A.size());
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const double one = A.apply_dot(x, y), one_r = A.residual_dot(b, x, y);
  for (const int t : {2, 3, 7}) {
    omp_set_num_threads(t);
    EXPECT_EQ(A.apply_dot(x, y), one);
    EXPECT_EQ(A.residual_dot(b, x, y), one_r);
  }
  omp_set_num_threads(threads);
}

}  // namespace
}  // namespace weir::test::stencil_test
