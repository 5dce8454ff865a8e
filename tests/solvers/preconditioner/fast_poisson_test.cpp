// fast_poisson is exact: it is held to round-off, |b - A x| <= 8 n eps (|A| |x| + |b|) in the max norm (backward
// stability of orthogonal changes of basis, n terms a value, n the longest direction, at least 16; |A| the largest row
// sum).
#include "solvers/preconditioner/fast_poisson/fast_poisson.hpp"

#include <omp.h>

#include "mesh/structured/grid.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::test::fast_poisson_test {
namespace {

// The 8 n of above.
double C(const SeparableOperator& op) {
  const Extents e = op.extents();
  return 8.0 * std::max({e.nx, e.ny, e.nz, 16});
}

template <class Space>
Numbers solution(const FastPoisson<Space>& M, const Numbers& b) {
  const Array<double, Space> r(b);
  Array<double, Space> z(r.size());
  M.apply(r, z);
  return z.to_vector();
}

template <class Space>
Numbers solution(const SeparableOperator& op, const Numbers& b, const FastPoissonOptions& options = {}) {
  FastPoisson<Space> M(options);
  M.setup(SeparableStencil<Space>(op));
  return solution(M, b);
}

// The right side A x of a random x, which has a solution also where A is singular.
Numbers right_side(const SeparableOperator& op, unsigned seed = 7) {
  const SeparableStencil<Host> A(op);
  const Array<double, Host> x(random_numbers(A.size(), seed));
  Array<double, Host> b(x.size());
  A.apply(x, b);
  return b.to_vector();
}

double largest_row_sum(const SeparableOperator& op) {
  const SeparableStencil<Host> A(op);
  Array<double, Host> d(A.size());
  A.block_diagonal(0, d);
  return 2 * max_norm(d.to_vector());  // no row's other entries exceed its diagonal
}

// |b - A x| / (eps (|A| |x| + |b|))
double backward_error(const SeparableOperator& op, const Numbers& b, const Numbers& x) {
  const SeparableStencil<Host> A(op);
  const Array<double, Host> B(b), X(x);
  Array<double, Host> r(B.size());
  A.residual(B, X, r);
  return max_norm(r.to_vector()) / (eps * (largest_row_sum(op) * max_norm(x) + max_norm(b)));
}

double volume_mean(const SeparableOperator& op, const Numbers& x) {
  const Extents e = op.extents();
  const auto& d = op.direction;
  double s = 0, volume = 0;
  for (std::size_t c = 0; c < x.size(); ++c) {
    const auto n = [](int v) { return static_cast<std::size_t>(v); };
    const double v = d[0].mass[c % n(e.nx)] * d[1].mass[c / n(e.nx) % n(e.ny)] * d[2].mass[c / n(e.nx) / n(e.ny)];
    s += v * x[c];
    volume += v;
  }
  return s / volume;
}

GridLine stretched_line(int n) { return make_grid_line(n, 0.3, 1.7, {"tanh", 2.0}); }

SeparableOperator pressure(Extents e, const Ends& ends, const Stretching& stretching) {
  SeparableOperator op;
  const int n[] = {e.nx, e.ny, e.nz};
  const double length[] = {1, 0.7, 1.3};
  for (std::size_t d = 0; d < 3; ++d)
    op.direction[d] = cell_centred_direction(make_grid_line(n[d], 0, length[d], stretching).faces, ends[0], ends[1]);
  return op;
}

const FastPoissonOptions all_options[] = {{"auto", "auto"},   {"fast", "auto"}, {"fast", "none"},  {"fast", "y"},
                                          {"matrix", "none"}, {"matrix", "y"},  {"matrix", "auto"}};

template <class Space>
class FastPoissonIn : public ::testing::Test {};
TYPED_TEST_SUITE(FastPoissonIn, Spaces, SpaceName);

TYPED_TEST(FastPoissonIn, SolvesEverySmallCaseToRoundOff) {
  for (const OperatorCase& c : operator_cases()) {
    if (c.op.extents().count() == 1 && c.op.has_constant_null_space()) continue;  // A = 0
    const Numbers b = right_side(c.op);
    for (const auto& options : all_options)
      EXPECT_LE(backward_error(c.op, b, solution<TypeParam>(c.op, b, options)), C(c.op))
          << c.name << ", " << options.transforms << ", " << options.tridiagonal;
  }
}

TYPED_TEST(FastPoissonIn, SolvesSizesOfAllKindsToRoundOff) {
  const Extents sizes[] = {{128, 64, 1}, {97, 31, 1}, {33, 17, 20}, {64, 1, 48}, {16, 40, 23}, {1, 1, 61}};
  for (const Extents& e : sizes)
    for (const Ends& ends : all_ends)
      for (const char* stretching : {"uniform", "tanh", "tanh_low"}) {
        SeparableOperator op = pressure(e, ends, {stretching, 2.0});
        const Numbers b = right_side(op);
        for (const char* transforms : {"fast", "matrix"})
          EXPECT_LE(backward_error(op, b, solution<TypeParam>(op, b, {transforms, "auto"})), C(op))
              << e.nx << "x" << e.ny << "x" << e.nz << " " << stretching << " ends " << static_cast<int>(ends[0])
              << static_cast<int>(ends[1]) << " " << transforms;
      }
}

TYPED_TEST(FastPoissonIn, SolvesMomentumSystemsOnFaces) {
  for (const char* stretching : {"uniform", "tanh"})
    for (const Ends& ends : all_ends) {
      SeparableOperator op =
          pressure({24, 19, 12}, {EndCondition::dirichlet, EndCondition::dirichlet}, {stretching, 1.5});
      for (std::size_t d : {0u, 1u})
        op.direction[d] =
            face_centred_direction(make_grid_line(d == 0 ? 24 : 19, 0, 1, {stretching, 1.5}).faces, ends[0], ends[1]);
      op.shift = 200;
      op.scale = 0.01;
      const Numbers b = right_side(op);
      for (const auto& options : all_options)
        EXPECT_LE(backward_error(op, b, solution<TypeParam>(op, b, options)), C(op))
            << stretching << options.transforms;
    }
}

TYPED_TEST(FastPoissonIn, AgreesWithElimination) {
  SeparableOperator op = pressure({6, 5, 4}, {EndCondition::dirichlet, EndCondition::neumann}, {"tanh", 1.0});
  const Numbers b = random_numbers(120, 3), exact = dense_solve(dense(op), b);
  EXPECT_LE(max_difference(solution<TypeParam>(op, b), exact), 1e4 * eps * max_norm(exact));  // a condition below 1e4
}

TYPED_TEST(FastPoissonIn, SolvesShiftsFromNoneToAll) {
  SeparableOperator op = pressure({20, 18, 7}, {EndCondition::neumann, EndCondition::neumann}, {"tanh", 2.0});
  for (const double shift : {1e-12, 1e-3, 1.0, 1e6})
    for (const double scale : {0.0, 1e-6, 1.0}) {
      op.shift = shift;
      op.scale = scale;
      const Numbers b = right_side(op);
      EXPECT_LE(backward_error(op, b, solution<TypeParam>(op, b)), C(op)) << shift << " " << scale;
    }
}

TYPED_TEST(FastPoissonIn, IgnoresWhatASingularOperatorCannotReachAndGivesZeroMean) {
  for (const Ends& ends : {all_ends[0], all_ends[4]})
    for (const char* stretching : {"uniform", "tanh"})
      for (const Extents e : {Extents{24, 18, 10}, Extents{24, 18, 1}, Extents{24, 1, 1}})
        for (const char* tridiagonal : {"auto", "none"}) {
          const SeparableOperator op = pressure(e, ends, {stretching, 1.5});
          ASSERT_TRUE(op.has_constant_null_space());
          const Numbers b = right_side(op), x = solution<TypeParam>(op, b, {"auto", tridiagonal});
          EXPECT_LE(std::abs(volume_mean(op, x)), C(op) * eps * max_norm(x));
          Numbers c = b;  // plus the volumes, which are M 1
          for (std::size_t i = 0; i < c.size(); ++i) {
            const auto at = [&](std::size_t d, std::size_t k) { return op.direction[d].mass[k]; };
            const auto nx = static_cast<std::size_t>(e.nx), ny = static_cast<std::size_t>(e.ny);
            c[i] += 10 * at(0, i % nx) * at(1, i / nx % ny) * at(2, i / nx / ny);
          }
          const Numbers y = solution<TypeParam>(op, c, {"auto", tridiagonal});
          EXPECT_LE(max_difference(x, y), 1e4 * eps * max_norm(x));  // a condition below 1e4
        }
}

TYPED_TEST(FastPoissonIn, IsSymmetric) {
  for (const auto& options : all_options)
    for (const Ends& ends : all_ends) {
      const SeparableOperator op = pressure({12, 11, 6}, ends, {"tanh", 1.5});
      FastPoisson<TypeParam> M(options);
      M.setup(SeparableStencil<TypeParam>(op));
      const Numbers u = random_numbers(op.extents().count(), 1), v = random_numbers(op.extents().count(), 2);
      const Numbers Mu = solution(M, u), Mv = solution(M, v);
      EXPECT_LE(std::abs(dot(v, Mu) - dot(u, Mv)), C(op) * eps * (norm(v) * norm(Mu) + norm(u) * norm(Mv)));
    }
}

TYPED_TEST(FastPoissonIn, UpdateEqualsAFreshSetup) {
  SeparableOperator op = pressure({20, 12, 9}, all_ends[0], {"tanh", 1.5});
  FastPoisson<TypeParam> M;
  M.setup(SeparableStencil<TypeParam>(op));
  op.shift = 3;
  op.scale = 0.2;
  const SeparableStencil<TypeParam> shifted(op);
  const Ledger before = ledger();
  M.update(shifted);
  EXPECT_EQ(ledger().host_allocations, before.host_allocations);
  EXPECT_EQ(ledger().device_allocations, before.device_allocations);
  const Numbers b = random_numbers(op.extents().count(), 4);
  EXPECT_EQ(solution(M, b), solution<TypeParam>(op, b));
  op = pressure({18, 12, 9}, all_ends[1], {"uniform", 0});
  M.update(SeparableStencil<TypeParam>(op));
  const Numbers c = random_numbers(op.extents().count(), 4);
  EXPECT_EQ(solution(M, c), solution<TypeParam>(op, c));
}

TYPED_TEST(FastPoissonIn, AllocatesAndCopiesNothingInApply) {
  const SeparableOperator op = pressure({40, 33, 20}, all_ends[0], {"uniform", 0});
  FastPoisson<TypeParam> M;
  M.setup(SeparableStencil<TypeParam>(op));
  const Array<double, TypeParam> r(random_numbers(op.extents().count(), 4));
  Array<double, TypeParam> z(r.size());
  const Ledger before = ledger();
  M.apply(r, z);
  EXPECT_EQ(ledger().host_allocations, before.host_allocations);
  EXPECT_EQ(ledger().device_allocations, before.device_allocations);
  EXPECT_EQ(ledger().copies_to_host + ledger().copies_to_device, before.copies_to_host + before.copies_to_device);
}

TYPED_TEST(FastPoissonIn, GivesTheSameBitsOnAnyNumberOfThreadsAndEveryTime) {
  const int threads = omp_get_max_threads();
  for (const char* transforms : {"fast", "matrix"})
    for (const char* stretching : {"uniform", "tanh"})
      for (const Extents e : {Extents{130, 101, 1}, Extents{40, 37, 21}, Extents{40, 37, 6}}) {
        const SeparableOperator op = pressure(e, all_ends[0], {stretching, 1.5});
        const Numbers b = random_numbers(e.count(), 4);
        Numbers first;
        for (const int t : {1, 2, 3, 5, 1}) {
          omp_set_num_threads(t);
          const Numbers x = solution<TypeParam>(op, b, {transforms, "auto"});
          if (first.empty()) first = x;
          EXPECT_EQ(x, first) << t << " threads";
        }
      }
  omp_set_num_threads(threads);
}

TYPED_TEST(FastPoissonIn, IsSolvedInOneApplicationByTheMethodOfItsName) {
  const SeparableStencil<TypeParam> A(pressure({32, 24, 16}, all_ends[0], {"tanh", 2.0}));
  const FastPoisson<TypeParam> M;
  EXPECT_TRUE(M.traits().is_exact && M.is_symmetric());
  auto made = make_preconditioner<TypeParam>("fast_poisson", Table());
  made->setup(A);
  EXPECT_TRUE(made->traits().is_exact);
  EXPECT_NE(made->describe().find("fast_poisson"), std::string::npos);
}

TEST(FastPoissonPlan, KeepsTheDearestDirectionTridiagonalAndSaysWhatItDoes) {
  SeparableOperator op = pressure({64, 64, 64}, all_ends[0], {"uniform", 0});
  FastPoisson<Host> M;
  M.setup(SeparableStencil<Host>(op));
  EXPECT_NE(M.describe().find("z tridiagonal"), std::string::npos) << M.describe();
  op.direction[1] = cell_centred_direction(stretched_line(64).faces, EndCondition::neumann, EndCondition::dirichlet);
  M.setup(SeparableStencil<Host>(op));
  EXPECT_NE(M.describe().find("y tridiagonal"), std::string::npos) << M.describe();
  op.direction[1] = cell_centred_direction(stretched_line(64).faces, EndCondition::periodic, EndCondition::periodic);
  M.setup(SeparableStencil<Host>(op));
  EXPECT_NE(M.describe().find("y even and odd eigenvectors, z tridiagonal"), std::string::npos) << M.describe();
}

TEST(FastPoissonPlan, RefusesWhatItCannotSolve) {
  SeparableOperator op = pressure({4, 4, 4}, all_ends[0], {"uniform", 0});
  op.shift = -1;
  FastPoisson<Host> M;
  EXPECT_THROW(M.setup(SeparableStencil<Host>(op)), std::invalid_argument);
}

}  // namespace
}  // namespace weir::test::fast_poisson_test
