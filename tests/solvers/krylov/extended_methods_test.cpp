// Uses of the newer Krylov methods: convection, indefinite systems, rows of systems that change slowly, vectors of
// floats.
#include <cmath>

#include "base/error.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/block_matrices.hpp"
#include "tests/support/systems/dense_preconditioner.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::test::extended_methods_test {
namespace {

template <class Space>
class KrylovSecondFloor : public ::testing::Test {};
TYPED_TEST_SUITE(KrylovSecondFloor, Spaces, SpaceName);

// -lap u + c . grad u - shift u on the unit square, m x m points, central differences, times h^2.
BlockCsrData convection_diffusion(int m, double cx, double cy, double shift = 0) {
  const double h = 1.0 / (m + 1);
  BlockCsrData d;
  d.block = 1;
  d.row_start.push_back(0);
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < m; ++i) {
      const auto add = [&](bool inside, int column, double value) {
        if (!inside) return;
        d.column.push_back(column);
        d.value.push_back(value);
      };
      const int q = j * m + i;
      add(j > 0, q - m, -1 - 0.5 * h * cy);
      add(i > 0, q - 1, -1 - 0.5 * h * cx);
      add(true, q, 4 - shift * h * h);
      add(i + 1 < m, q + 1, -1 + 0.5 * h * cx);
      add(j + 1 < m, q + m, -1 + 0.5 * h * cy);
      d.row_start.push_back(static_cast<std::int64_t>(d.column.size()));
    }
  return d;
}

void expect_true(const SolveResult& result, const Dense& D, const Numbers& b, const Numbers& x, double tolerance,
                 const std::string& name) {
  EXPECT_TRUE(result.converged()) << name << ": " << to_string(result.reason);
  EXPECT_LE(norm(minus(b, D * x)), 1.02 * tolerance * norm(b)) << name;
}

TYPED_TEST(KrylovSecondFloor, SolvesConvectionAndDiffusion) {
  KrylovOptions o;
  o.tolerance = 1e-10;
  for (const double c : {10.0, 300.0}) {
    const BlockCsrData data = convection_diffusion(12, c, -0.4 * c);
    const BlockCsr<TypeParam> A(data);
    const Dense D = dense(data);
    const Numbers b = random_numbers(A.size(), 3);
    for (const char* method : {"bicgstab_l", "idrs", "refinement"})
      for (const char* M : {"none", "jacobi"}) {
        Numbers x(b.size());
        const SolveResult result = solve<TypeParam>(method, M, A, b, x, o);
        expect_true(result, D, b, x, o.tolerance, std::string(method) + " + " + M);
      }
  }
}

TYPED_TEST(KrylovSecondFloor, SolvesAnIndefiniteSystem) {
  KrylovOptions o;
  o.tolerance = 1e-10;
  o.restart = 100;
  o.inner_iterations = 100;
  const BlockCsrData data = convection_diffusion(10, 0, 0, 60.0);  // three eigenvalues below the shift
  const BlockCsr<TypeParam> A(data);
  const Dense D = dense(data);
  const Numbers b = random_numbers(A.size(), 3);
  for (const char* method : {"bicgstab_l", "idrs", "gmres", "refinement"}) {
    Numbers x(b.size());
    expect_true(solve<TypeParam>(method, "none", A, b, x, o), D, b, x, o.tolerance, method);
  }
}

// The inner solve goes to 1e-14, but of A rounded: the first correction leaves about float's rounding, 6e-8 of A d,
// whose condition is below 1e3 here; and what is left falls by as much each time.
TYPED_TEST(KrylovSecondFloor, RefinementReadsFloatsAndStillReachesDoublePrecision) {
  const BlockCsrData data = convection_diffusion(12, 10.0, -4.0);
  const BlockCsr<TypeParam> A(data);
  const Dense D = dense(data);
  const Numbers b = random_numbers(A.size(), 3);
  KrylovOptions o;
  o.tolerance = 1e-13;
  o.history = true;
  o.restart = o.inner_iterations = 200;
  o.inner_tolerance = 1e-14;
  const auto refined = [&](const char* precision) {
    o.inner_matrix = precision;
    Numbers x(b.size()), history;
    const SolveResult result = solve<TypeParam>("refinement", "jacobi", A, b, x, o, &history);
    expect_true(result, D, b, x, o.tolerance, precision);
    return history.at(1) / history.at(0);
  };
  const double with_floats = refined("float"), with_doubles = refined("double");
  EXPECT_GT(with_floats, 1e-10);
  EXPECT_LT(with_floats, 1e3 * 6e-8);
  EXPECT_LT(with_doubles, 1e-12);
}

TYPED_TEST(KrylovSecondFloor, RefinementRoundsBlockRowsAlone) {
  const SeparableStencil<TypeParam> A(box({4, 4, 4}, EndCondition::neumann, false, 1));
  KrylovOptions o;
  o.inner_matrix = "float";
  const Numbers b = random_numbers(A.size(), 3);
  Numbers x(b.size());
  EXPECT_THROW(solve<TypeParam>("refinement", "none", A, b, x, o), Error);
}

// Eigenvalues 1 +- 8 i and the like: a polynomial with real roots follows them badly.
TYPED_TEST(KrylovSecondFloor, BicgstabOfHigherDegreeFollowsImaginaryEigenvalues) {
  const BlockCsrData data = convection_diffusion(16, 1500, 1100);
  const BlockCsr<TypeParam> A(data);
  const Numbers b = random_numbers(A.size(), 4);
  KrylovOptions o;
  o.tolerance = 1e-8;
  o.max_iterations = 400;
  const auto iterations = [&](const char* method, int l) {
    o.l = l;
    Numbers x(b.size());
    const SolveResult r = solve<TypeParam>(method, "none", A, b, x, o);
    EXPECT_TRUE(r.converged() || l == 0) << method << l << to_string(r.reason);
    return r.converged() ? r.iterations : o.max_iterations;
  };
  const int one = iterations("bicgstab", 0);
  EXPECT_LT(iterations("bicgstab_l", 2), one);
  EXPECT_LT(iterations("bicgstab_l", 4), one);
}

TYPED_TEST(KrylovSecondFloor, BicgstabOfDegreeOneIsBicgstab) {
  const BlockCsrData data = random_blocks(40, 2, 5);
  const BlockCsr<TypeParam> A(data);
  const Numbers b = random_numbers(A.size(), 4);
  KrylovOptions o;
  o.history = true;
  o.l = 1;
  Numbers x(b.size()), y(b.size()), of_l, plain;
  solve<TypeParam>("bicgstab_l", "jacobi", A, b, x, o, &of_l);
  solve<TypeParam>("bicgstab", "jacobi", A, b, y, o, &plain);
  ASSERT_EQ(of_l.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(of_l[i], plain[i], 1e6 * eps * plain[0]);
}

// Each space of IDR(s) costs s + 1 products and takes s dimensions away: n + n/s products, but for rounding.
TYPED_TEST(KrylovSecondFloor, IdrEndsWithinTheProductsThatItsSpacesTake) {
  const BlockCsrData data = random_blocks(10, 2, 5);
  const BlockCsr<TypeParam> A(data);
  const Numbers b = random_numbers(A.size(), 4);
  KrylovOptions o;
  o.tolerance = 1e-9;
  for (const int s : {1, 2, 4, 8, 64}) {  // 64: more than unknowns
    o.s = s;
    Numbers x(b.size());
    const SolveResult result = solve<TypeParam>("idrs", "none", A, b, x, o);
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.iterations, A.size() + A.size() / std::min(s, A.size()) + 2) << "s = " << s;
  }
}

// A row of systems as of time steps: matrix and right-hand side change slowly.
template <class Space>
int iterations_of_a_row(const char* method, KrylovOptions o, double tolerance = 1e-8) {
  o.tolerance = tolerance;
  o.restart = 20;
  auto krylov = make_krylov<Space>(method, o);
  auto M = make_preconditioner<Space>("jacobi", Table());
  int iterations = 0;
  Array<double, Space> x(400);
  x.upload(Numbers(400));
  const Numbers first = random_numbers(400, 4), second = random_numbers(400, 9);
  for (int step = 0; step < 6; ++step) {
    const BlockCsrData data = convection_diffusion(20, 20 + step, 5.0 - step);
    const BlockCsr<Space> A(data);
    M->setup(A);
    Numbers b = first;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] += std::sin(0.2 * step) * second[i];
    const Array<double, Space> rhs(b);
    const SolveResult result = krylov->solve(A, *M, rhs, x);
    expect_true(result, dense(data), b, x.to_vector(), o.tolerance, method);
    iterations += result.iterations;
  }
  return iterations;
}

TYPED_TEST(KrylovSecondFloor, RecyclingSavesIterationsInARowOfSystems) {
  for (const auto& [method, basis] : {std::pair{"gmres", "double"}, {"fgmres", "float"}}) {
    KrylovOptions o;
    o.basis = basis;
    const int without = iterations_of_a_row<TypeParam>(method, o);
    o.recycle = 6;
    EXPECT_LT(iterations_of_a_row<TypeParam>(method, o), 0.75 * without) << method << " of " << basis;
  }
}

// One matrix, right-hand sides that have nothing in common: only the slow vectors can help.
template <class Space>
int iterations_of_the_last(int recycle, bool& allocated) {
  const BlockCsrData data = convection_diffusion(20, 10, 5);
  const BlockCsr<Space> A(data);
  KrylovOptions o;
  o.recycle = recycle;
  o.restart = 20;
  auto krylov = make_krylov<Space>("gmres", o);
  auto M = make_preconditioner<Space>("jacobi", Table());
  M->setup(A);
  Array<double, Space> x(A.size());
  int iterations = 0;
  for (const unsigned seed : {1, 2, 3, 4}) {
    const Numbers b = random_numbers(A.size(), seed);
    const Array<double, Space> rhs(b);
    x.upload(Numbers(b.size()));
    const Ledger before = ledger();
    const SolveResult result = krylov->solve(A, *M, rhs, x);
    const Ledger after = ledger();
    allocated = after.host_allocations != before.host_allocations ||
                after.device_allocations != before.device_allocations || after.bytes_to_host != before.bytes_to_host ||
                after.bytes_to_device != before.bytes_to_device;
    expect_true(result, dense(data), b, x.to_vector(), o.tolerance, "recycling");
    iterations = result.iterations;
  }
  return iterations;
}

TYPED_TEST(KrylovSecondFloor, ARecycledSpaceIsWorthIterationsAndAllocatesOnce) {
  bool allocated = false;
  const int without = iterations_of_the_last<TypeParam>(0, allocated);
  EXPECT_LT(iterations_of_the_last<TypeParam>(8, allocated), 0.8 * without);
  EXPECT_FALSE(allocated);
}

// The right-hand side is the image of a kept vector: nothing is left to iterate on.
TYPED_TEST(KrylovSecondFloor, WhatLiesInTheKeptSpaceTakesNoIteration) {
  Dense D(60);
  for (int i = 0; i < D.n; ++i) D(i, i) = i < 2 ? 1e-3 * (i + 1) : 1 + 0.1 * (i % 5);
  const DenseMatrix<TypeParam> A(D);
  KrylovOptions o;
  o.recycle = 2;
  o.restart = 7;  // eigenvalues: two small ones and five others
  o.tolerance = 1e-12;
  auto krylov = make_krylov<TypeParam>("gmres", o);
  auto M = make_preconditioner<TypeParam>("none", Table());
  Array<double, TypeParam> x(D.n);
  x.upload(Numbers(60));
  krylov->solve(A, *M, Array<double, TypeParam>(random_numbers(D.n, 4)), x);
  Numbers b(60);
  b[0] = 3;
  b[1] = -2;
  o.tolerance = 1e-6;
  x.upload(Numbers(60));
  const SolveResult again = krylov->solve(A, *M, Array<double, TypeParam>(b), x);
  EXPECT_TRUE(again.converged());
  EXPECT_LE(again.iterations, 2);
  EXPECT_NEAR(x.to_vector()[0], 3e3, 1e-6);
}

// The kept space says nothing of another matrix, and must do no harm; of another size, it is forgotten.
TYPED_TEST(KrylovSecondFloor, ARecycledSpaceOfAnotherSystemDoesNoHarm) {
  KrylovOptions o;
  o.recycle = 3;
  o.restart = 10;
  auto krylov = make_krylov<TypeParam>("gmres", o);
  auto M = make_preconditioner<TypeParam>("none", Table());
  for (const int m : {10, 10, 7}) {
    const BlockCsrData data = convection_diffusion(m, m == 10 ? 40 : 0, 3);
    for (unsigned seed = 1; seed < 3; ++seed) {
      const BlockCsr<TypeParam> A(data);
      const Numbers b = random_numbers(A.size(), seed);
      const Array<double, TypeParam> rhs(b);
      Array<double, TypeParam> x(A.size());
      x.upload(Numbers(b.size()));
      const SolveResult result = krylov->solve(A, *M, rhs, x);
      expect_true(result, dense(data), b, x.to_vector(), o.tolerance, "m = " + std::to_string(m));
    }
  }
}

TYPED_TEST(KrylovSecondFloor, RefinementByFloatsReachesTheAccuracyOfDoubles) {
  const BlockCsrData data = random_blocks(60, 3, 5);
  const BlockCsr<TypeParam> A(data);
  const Dense D = dense(data);
  const Numbers b = random_numbers(A.size(), 4);
  KrylovOptions o;
  o.tolerance = 1e-14;
  o.basis = "float";
  for (const char* inner : {"gmres", "fgmres", "bicgstab", "bicgstab_l", "idrs"}) {
    o.inner = inner;
    Numbers x(b.size());
    const SolveResult result = solve<TypeParam>("refinement", "block_jacobi", A, b, x, o);
    expect_true(result, D, b, x, o.tolerance, inner);
    EXPECT_LE(result.iterations, 5) << inner;  // 1e-4 each
  }
  o.inner = "refinement";
  EXPECT_THROW(make_krylov<TypeParam>("refinement", o), Error);
}

TYPED_TEST(KrylovSecondFloor, ARefinementThatCannotProgressSaysSo) {
  Dense D(6);  // a cyclic shift: a few steps of gmres lower nothing
  for (int i = 0; i < 6; ++i) D(i, (i + 1) % 6) = 1;
  const DenseMatrix<TypeParam> A(D, {.symmetric = false});
  KrylovOptions o;
  o.inner_iterations = 3;
  Numbers x(6);
  const SolveResult result = solve<TypeParam>("refinement", "none", A, {1, 0, 0, 0, 0, 0}, x, o);
  EXPECT_EQ(result.reason, Reason::stagnated);
  EXPECT_EQ(x, Numbers(6));
}

}  // namespace
}  // namespace weir::test::extended_methods_test
