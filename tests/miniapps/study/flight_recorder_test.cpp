// Faults planted in tiny systems, each given to a solver that fails on it; and systems that look guilty and are not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/diagnosis/failed_solve.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/matrix/block/block_csr.hpp"

namespace weir::test::flight_recorder_test {
namespace {

using Numbers = std::vector<double>;

// A matrix as it is written down; zeros that are put in are stored.
class Entries {
 public:
  explicit Entries(int rows) : rows_(rows) {}
  double& operator()(int i, int j) { return value_[{i, j}]; }
  void erase(int i, int j) { value_.erase({i, j}); }
  Entries& scale_row(int i, double by) {
    for (auto& [place, value] : value_)
      if (place.first == i) value *= by;
    return *this;
  }
  Entries& scale(double by) {
    for (auto& [place, value] : value_) value *= by;
    return *this;
  }
  Entries shuffled(unsigned seed) const {
    std::vector<int> to(static_cast<std::size_t>(rows_));
    for (int i = 0; i < rows_; ++i) to[static_cast<std::size_t>(i)] = i;
    std::mt19937 random(seed);
    std::shuffle(to.begin(), to.end(), random);
    Entries s(rows_);
    for (const auto& [place, value] : value_)
      s(to[static_cast<std::size_t>(place.first)], to[static_cast<std::size_t>(place.second)]) = value;
    return s;
  }
  BlockCsrData data(bool symmetric = false) const {
    BlockCsrData d;
    d.symmetric = symmetric;
    d.row_start.assign(static_cast<std::size_t>(rows_) + 1, 0);
    for (const auto& [place, value] : value_) {
      ++d.row_start[static_cast<std::size_t>(place.first) + 1];
      d.column.push_back(place.second);
      d.value.push_back(value);
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows_); ++i) d.row_start[i + 1] += d.row_start[i];
    return d;
  }

 private:
  int rows_;
  std::map<std::pair<int, int>, double> value_;
};

// lower, diagonal, upper on three diagonals.
Entries chain(int n, double lower = -1, double diagonal = 2, double upper = -1) {
  Entries a(n);
  for (int i = 0; i < n; ++i) {
    if (i > 0) a(i, i - 1) = lower;
    a(i, i) = diagonal;
    if (i + 1 < n) a(i, i + 1) = upper;
  }
  return a;
}
// The Laplacian of a ring of n cells from `first` on: rows and columns sum to zero.
void add_ring(Entries& a, int first, int n) {
  for (int i = 0; i < n; ++i) {
    a(first + i, first + i) = 2;
    a(first + i, first + (i + 1) % n) = a(first + (i + 1) % n, first + i) = -1;
  }
}
Numbers ones(int n) { return Numbers(static_cast<std::size_t>(n), 1.0); }
Numbers wave(int n) {
  Numbers b;
  for (int i = 0; i < n; ++i) b.push_back(std::sin(1.0 + 2.3 * i) + 0.1);
  return b;
}

// A solve with [linear.s] = options, and the verdict where it fails. aged_from: the preconditioner was made for that
// one.
Finding diagnosed(const BlockCsrData& data, const Numbers& b, const std::string& options, Numbers x = {},
                  const BlockCsrData* aged_from = nullptr, int age = 0) {
  const Table table = read_case_text(options, "s.toml");
  LinearSolver<Host> solver(table);
  const BlockCsr<Host> A(data);
  x.resize(b.size(), 0.0);
  const Array<double, Host> rhs(b);
  Array<double, Host> solution(x);
  FailedSolve<Host> failed;
  failed.A = &A;
  failed.b = rhs;
  failed.x = solution.view();
  failed.settings = read_solver_settings("linear.s", table, "cg", "none", {});
  failed.age = age;
  try {
    const BlockCsr<Host> old(aged_from ? *aged_from : data);
    solver.setup(aged_from ? old : A);
    failed.result = solver.solve(A, rhs, solution);
    failed.M = &solver.preconditioner();
    EXPECT_FALSE(failed.result.converged()) << "the planted fault did no harm";
    return examine(failed);
  } catch (const Error& error) {
    failed.refusal = error.what();
    failed.b = {};  // no solve has begun
    failed.x = {};
    return examine(failed);
  }
}

#define EXPECT_CAUSE(finding, expected)                                      \
  do {                                                                       \
    const Finding& found = finding;                                          \
    EXPECT_STREQ(to_string(found.cause), to_string(expected)) << found.what; \
    EXPECT_FALSE(found.evidence.empty());                                    \
    EXPECT_FALSE(found.key.empty() || found.change.empty());                 \
  } while (false)

bool mentions(const Finding& f, const std::string& text) { return f.what.find(text) != std::string::npos; }

TEST(PlantedFault, ANumberInTheMatrixThatIsNone) {
  Entries a = chain(20);
  a(7, 8) = std::numeric_limits<double>::quiet_NaN();
  const Finding f = diagnosed(a.data(), ones(20), "method = \"gmres\"");
  EXPECT_CAUSE(f, Cause::matrix_not_finite);
  EXPECT_TRUE(mentions(f, "row 7")) << f.what;
}

TEST(PlantedFault, InfinityInTheRightHandSide) {
  Numbers b = ones(20);
  b[13] = std::numeric_limits<double>::infinity();
  const Finding f = diagnosed(chain(20).data(), b, "method = \"bicgstab\"");
  EXPECT_CAUSE(f, Cause::right_hand_side_not_finite);
  EXPECT_TRUE(mentions(f, "row 13")) << f.what;
}

TEST(PlantedFault, AGuessThatIsNotFinite) {
  Numbers x(20, 0.0);
  x[4] = std::numeric_limits<double>::quiet_NaN();
  const Finding f = diagnosed(chain(20).data(), ones(20), "method = \"gmres\"", x);
  EXPECT_CAUSE(f, Cause::guess_not_finite);
  EXPECT_TRUE(mentions(f, "row 4")) << f.what;
}

// A tolerance relative to |b| lets the solver scale b.
TEST(PlantedFault, NumbersOutOfRange) {
  const BlockCsrData a = chain(20).data(true);
  EXPECT_CAUSE(diagnosed(a, Numbers(20, 1e200), "method = \"cg\"\nrelative = false"), Cause::overflow);
  EXPECT_CAUSE(diagnosed(a, Numbers(20, 1e-320), "method = \"cg\"\nmax_iterations = 2"), Cause::underflow);
}

TEST(PlantedFault, FactorsOfFloatsThatOverflowOrUnderflow) {
  const char* solver = "method = \"gmres\"\npreconditioner = { type = \"block_ilu0\", factors = \"float\" }";
  const Finding f = diagnosed(chain(20).scale(1e46).data(), ones(20), solver);
  EXPECT_CAUSE(f, Cause::float_range);
  EXPECT_EQ(f.key, "linear.s.preconditioner.storage");
  EXPECT_CAUSE(diagnosed(chain(20).scale(1e-50).data(), ones(20), solver), Cause::float_range);
}

TEST(PlantedFault, ADiagonalEntryThatIsNotThere) {
  Entries a = chain(20);
  a.erase(11, 11);
  const Finding f = diagnosed(a.data(), ones(20), "method = \"gmres\"\npreconditioner = { type = \"block_ilu0\" }");
  EXPECT_CAUSE(f, Cause::missing_diagonal);
  EXPECT_TRUE(mentions(f, "row 11")) << f.what;
}

TEST(PlantedFault, AZeroOnTheDiagonal) {
  Entries a = chain(20);
  a(5, 5) = 0;
  const Finding f = diagnosed(a.data(), ones(20), "method = \"gmres\"\npreconditioner = { type = \"jacobi\" }");
  EXPECT_CAUSE(f, Cause::zero_diagonal);
  EXPECT_TRUE(mentions(f, "row 5")) << f.what;
}

TEST(PlantedFault, APivotThatEliminationMakesZero) {
  Entries a = chain(20);
  a(8, 7) = a(9, 10) = 0;
  a(8, 8) = a(9, 9) = 1;  // 1 - (-1) (-1) / 1
  const Finding f = diagnosed(a.data(), ones(20), "method = \"gmres\"\npreconditioner = { type = \"block_ilu0\" }");
  EXPECT_CAUSE(f, Cause::zero_pivot);
  EXPECT_TRUE(mentions(f, "row 9")) << f.what;
}

TEST(PlantedFault, AnIncompatibleRightHandSide) {
  Entries a(24);
  add_ring(a, 0, 24);
  EXPECT_CAUSE(diagnosed(a.data(true), wave(24), "method = \"cg\"\nmax_iterations = 200"), Cause::null_space);
}

TEST(PlantedFault, TwoPiecesEachWithConstantsOfItsOwn) {
  Entries a(24);
  add_ring(a, 0, 12);
  add_ring(a, 12, 12);
  BlockCsrData data = a.data(true);
  data.constant_null_space = true;
  Numbers b = ones(24);
  for (std::size_t i = 12; i < 24; ++i) b[i] = -1;
  b[3] = 5, b[4] = -3;
  const Finding f = diagnosed(data, b, "method = \"cg\"\nmax_iterations = 200");
  EXPECT_CAUSE(f, Cause::null_space);
  EXPECT_TRUE(mentions(f, "2 separate components")) << f.what;
}

TEST(PlantedFault, AnEquationThatIsMissing) {
  Entries a = chain(20);
  for (int j : {5, 6, 7}) a(6, j) = 0;
  const Finding f = diagnosed(a.data(), wave(20), "method = \"gmres\"\nmax_iterations = 200");
  EXPECT_CAUSE(f, Cause::null_space);
  EXPECT_TRUE(mentions(f, "row 6")) << f.what;
}

TEST(PlantedFault, AnEquationThatIsThereTwiceOrNearly) {
  Entries a = chain(20);
  for (int j = 0; j < 20; ++j) a(8, j) = a(14, j);
  EXPECT_CAUSE(diagnosed(a.data(), wave(20), "method = \"gmres\"\nmax_iterations = 200"), Cause::ill_conditioned);
  Entries leak = chain(3).scale(1e13);
  leak(0, 0) = leak(2, 2) = 1e13;
  leak(2, 2) += 1;
  EXPECT_CAUSE(diagnosed(leak.data(), ones(3), "method = \"gmres\"\npreconditioner = { type = \"block_ilu0\" }"),
               Cause::ill_conditioned);
}

TEST(PlantedFault, CgOnAnIndefiniteMatrix) {
  EXPECT_CAUSE(diagnosed(chain(40, -1, 1, -1).data(true), wave(40), "method = \"cg\""), Cause::indefinite);
}

TEST(PlantedFault, CgOnAMatrixThatIsNotSymmetric) {
  EXPECT_CAUSE(diagnosed(chain(40, -1.9, 2, -0.1).data(true), wave(40), "method = \"cg\"\nmax_iterations = 300"),
               Cause::not_symmetric);
}

TEST(PlantedFault, BicgstabOnASkewMatrix) {
  EXPECT_CAUSE(diagnosed(chain(30, -1, 0, 1).data(), ones(30), "method = \"bicgstab\""), Cause::breakdown);
}

TEST(PlantedFault, APreconditionerOfAnotherMatrix) {
  const BlockCsrData now = chain(60, -1, 2, -1).data(), before = chain(60, 30, 2, -1).data();
  const Finding f =
      diagnosed(now, wave(60), "method = \"gmres\"\nmax_iterations = 25\npreconditioner = { type = \"block_ilu0\" }",
                {}, &before, 3);
  EXPECT_CAUSE(f, Cause::stale_preconditioner);
  EXPECT_EQ(f.key, "linear.s.refresh");
}

TEST(PlantedFault, AsynchronousSweepsOfFactorsThatAreNotDominant) {
  EXPECT_CAUSE(diagnosed(chain(70, -1.3, 1, 0.1).data(), wave(70),
                         "method = \"fgmres\"\nmax_iterations = 40\npreconditioner = { type = \"async_block_ilu0\", "
                         "asynchrony = { type = \"prescribed\", delay = 8, lanes = 16 } }"),
               Cause::asynchronous_sweeps);
}

TEST(PlantedFault, AnIterationThatDivergesByItself) {
  EXPECT_CAUSE(diagnosed(chain(30, -1.5, 2, -1.5).data(), wave(30), "method = \"jacobi\"\nmax_iterations = 50"),
               Cause::diverging);
}

TEST(PlantedFault, RestartsThatComeTooSoon) {
  EXPECT_CAUSE(diagnosed(chain(60).data(), ones(60), "method = \"gmres\"\nrestart = 2\nmax_iterations = 150"),
               Cause::restart);
}

TEST(PlantedFault, RowsOfVeryDifferentSize) {
  Entries a = chain(40);
  for (int i = 0; i < 40; i += 3) a.scale_row(i, 1e8);
  for (int i = 1; i < 40; i += 5) a.scale_row(i, 1e-4);
  const Finding f = diagnosed(a.data(), wave(40), "method = \"bicgstab\"\nmax_iterations = 100\ntolerance = 1e-12");
  EXPECT_CAUSE(f, Cause::scaling);
}

TEST(PlantedFault, AnOrderInWhichIncompleteFactorsArePoor) {
  const Finding f = diagnosed(chain(300).shuffled(1).data(true), wave(300),
                              "method = \"cg\"\nmax_iterations = 15\npreconditioner = { type = \"block_ilu0\" }");
  EXPECT_CAUSE(f, Cause::ordering);
  EXPECT_EQ(f.key, "ordering.type");
}

TEST(PlantedFault, AToleranceBelowRounding) {
  const Finding f =
      diagnosed(chain(50).data(true), wave(50), "method = \"cg\"\ntolerance = 1e-18\nmax_iterations = 3000");
  EXPECT_CAUSE(f, Cause::tolerance);
  EXPECT_EQ(f.key, "linear.s.tolerance");
}

TEST(PlantedFault, TooFewIterations) {
  const Finding f = diagnosed(chain(50).data(true), wave(50), "method = \"cg\"\nmax_iterations = 30");
  EXPECT_CAUSE(f, Cause::too_few_iterations);
  EXPECT_EQ(f.key, "linear.s.max_iterations");
}

// A matrix of rank 4 whose second diagonal block alone is singular.
TEST(PlantedFault, ABlockThatIsSingularInAMatrixThatIsNot) {
  const BlockCsrData blocks{2, {0, 2, 4}, {0, 1, 0, 1}, {2, 0, 0, 2, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1}};
  const Finding f = diagnosed(blocks, ones(4), "method = \"gmres\"\npreconditioner = { type = \"block_jacobi\" }");
  EXPECT_STREQ(to_string(f.cause), to_string(Cause::refused));
  EXPECT_TRUE(mentions(f, "the diagonal block of")) << f.what;
}

// A preconditioner that a test makes up: z = D r with an antisymmetric neighbour's share, or a scale that changes.
class MadeUp final : public Preconditioner<Host> {
 public:
  double neighbour = 0;  // z_i = r_i + neighbour r_{i+1} - neighbour r_{i-1}
  bool changes = false;
  SetupInfo do_setup(const Matrix<Host>&) override { return {}; }
  void apply(View<const double> r, View<double> z) const override {
    const std::int64_t n = r.size();
    ++calls_;
    for (std::int64_t i = 0; i < n; ++i) {
      z[i] = r[i] + (i + 1 < n ? neighbour * r[i + 1] : 0) - (i > 0 ? neighbour * r[i - 1] : 0);
      if (changes) z[i] *= 1 + 0.9 * std::sin(static_cast<double>(calls_ * (i + 1)));
    }
  }
  bool is_symmetric() const override { return true; }  // it says
  std::string describe() const override { return "made up"; }

 private:
  mutable std::int64_t calls_ = 0;
};

Finding diagnosed(const MadeUp& M, const std::string& method) {
  const BlockCsr<Host> A(chain(60).data(true));
  const Array<double, Host> b(wave(60));
  Array<double, Host> x(60);
  FailedSolve<Host> failed;
  failed.settings.method = method;
  failed.settings.krylov.max_iterations = 300;
  failed.result = make_krylov<Host>(method, failed.settings.krylov)->solve(A, M, b, x);
  EXPECT_FALSE(failed.result.converged());
  failed.A = &A;
  failed.b = b;
  failed.x = x.view();
  failed.M = &M;
  return examine(failed);
}

TEST(PlantedFault, APreconditionerThatChangesUnderAFixedMethod) {
  MadeUp M;
  M.changes = true;
  const Finding f = diagnosed(M, "cg");
  EXPECT_CAUSE(f, Cause::variable_preconditioner);
  EXPECT_EQ(f.change, "\"fgmres\"");
}

TEST(PlantedFault, APreconditionerThatIsNotSymmetricUnderCg) {
  MadeUp M;
  M.neighbour = 3;
  EXPECT_CAUSE(diagnosed(M, "cg"), Cause::preconditioner_not_symmetric);
}

// Whatever looks guilty must have done it.

TEST(NearMiss, ASingularMatrixWithACompatibleRightHandSideOnlyNeedsMoreIterations) {
  Entries a(64);
  add_ring(a, 0, 64);
  Numbers b = wave(64);
  double mean = 0;
  for (const double v : b) mean += v / 64;
  for (double& v : b) v -= mean;
  EXPECT_CAUSE(diagnosed(a.data(true), b, "method = \"cg\"\nmax_iterations = 16"), Cause::too_few_iterations);
}

TEST(NearMiss, AZeroOnTheDiagonalThatNobodyDividesBy) {
  Entries a = chain(50);
  a(5, 5) = 0;
  EXPECT_CAUSE(diagnosed(a.data(), wave(50), "method = \"gmres\"\nrestart = 60\nmax_iterations = 30"),
               Cause::too_few_iterations);
}

TEST(NearMiss, RowsOfDifferentSizeThatJacobiHasScaled) {
  Entries a = chain(40);
  for (int i = 0; i < 40; i += 3) a.scale_row(i, 1e5);
  EXPECT_CAUSE(diagnosed(a.data(), wave(40),
                         "method = \"gmres\"\nrestart = 60\ntolerance = 1e-19\npreconditioner = { type = \"jacobi\" }"),
               Cause::tolerance);
}

TEST(NearMiss, AnOldPreconditionerOfAMatrixThatHasNotChanged) {
  const BlockCsrData a = chain(80).data(true);
  EXPECT_CAUSE(diagnosed(a, wave(80), "method = \"cg\"\nmax_iterations = 40\npreconditioner = { type = \"jacobi\" }",
                         {}, nullptr, 500),
               Cause::too_few_iterations);
}

TEST(NearMiss, AnIndefiniteMatrixUnderGmres) {
  EXPECT_CAUSE(
      diagnosed(chain(40, -1, 1, -1).data(), wave(40), "method = \"gmres\"\nrestart = 60\nmax_iterations = 20"),
      Cause::too_few_iterations);
}

}  // namespace
}  // namespace weir::test::flight_recorder_test
