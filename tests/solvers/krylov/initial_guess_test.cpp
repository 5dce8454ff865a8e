// `initial_guess` of [linear.SYSTEM] against its definition: polynomials, and least squares in the span of earlier
// solutions.
#include "solvers/krylov/initial_guess.hpp"

#include "base/at.hpp"
#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "solvers/registry.hpp"
#include "solvers/studied_solver.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/block_matrices.hpp"
#include "tests/support/systems/dense_matrix.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::test::initial_guess_test {
namespace {

template <class Space>
class InitialGuessOf : public ::testing::Test {};
TYPED_TEST_SUITE(InitialGuessOf, Spaces, SpaceName);

constexpr double tight = 1e-13;  // of the solves: what is left is rounding

std::string method_with(const std::string& method, const std::string& guess, double tolerance = tight) {
  return "method = '" + method +
         "'\nmax_iterations = 2000\nrestart = 60\ntolerance = " + std::to_string(tolerance * 1e13) +
         "e-13\ninitial_guess = '" + guess + "'";
}

// A solver and the guesses that it has made.
template <class Space>
class Guesses : public SolveWatch<Space> {
 public:
  explicit Guesses(const std::string& text) : solver(read_case_text(text, "case.toml")) { solver.watch(this); }
  SolveResult solve(const Matrix<Space>& A, const Numbers& b) {
    solver.is_set_up() ? solver.update(A) : solver.setup(A);
    const Array<double, Space> rhs(b);
    Array<double, Space> x(Numbers(b.size()));
    const SolveResult result = solver.solve(A, rhs, x);
    EXPECT_TRUE(result.converged());
    solution = x.to_vector();
    return result;
  }
  void before(const Matrix<Space>&, View<const double>, View<const double> x) override { guess = load<Space>(x); }
  StudiedSolver<Space> solver;
  Numbers guess, solution;
};

Numbers combined(const std::vector<Numbers>& of, const Numbers& weights) {
  Numbers sum(of.front().size());
  for (std::size_t j = 0; j < weights.size(); ++j)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weights[j] * of[j][i];
  return sum;
}

// The weights y of X that minimise |x* - X y|_A (definite), or |b - A X y|: their normal equations.
Numbers best_of_span(const Dense& A, const std::vector<Numbers>& X, const Numbers& b, bool definite) {
  const std::size_t k = X.size();
  Dense gram(static_cast<int>(k));
  Numbers right(k);
  for (std::size_t i = 0; i < k; ++i) {
    const Numbers test = definite ? X[i] : A * X[i];
    right[i] = dot(test, b);
    for (std::size_t j = 0; j < k; ++j) gram(static_cast<int>(i), static_cast<int>(j)) = dot(test, A * X[j]);
  }
  return combined(X, dense_solve(gram, right));
}

BlockCsrData system(bool symmetric, double change = 0) {
  BlockCsrData A = random_blocks(30, 2, 5, symmetric);
  for (int i = 0; i < A.rows(); ++i)
    for (auto e = A.row_start[at(i)]; e < A.row_start[at(i) + 1]; ++e)
      for (int v = 0; v < 4; ++v) {
        const int j = A.column[at(e)];
        if (i == j && v % 3 == 0) A.value[at(4 * e + v)] += 3 + change * (1 + i % 4);
      }
  return A;
}

TYPED_TEST(InitialGuessOf, ExtrapolationIsExactForPolynomials) {
  const BlockCsrData data = system(true);
  const BlockCsr<TypeParam> A(data);
  for (int degree = 1; degree <= 3; ++degree) {
    Guesses<TypeParam> solver(method_with("cg", "extrapolation:" + std::to_string(degree)));
    for (int step = 0; step < 7; ++step) {
      Numbers b(at(A.size()));
      for (int p = 0; p <= degree; ++p)
        b = minus(b, combined({random_numbers(A.size(), 3 + static_cast<unsigned>(p))}, {-std::pow(0.5 * step, p)}));
      solver.solve(A, b);
      const double error = max_difference(solver.guess, solver.solution) / max_norm(solver.solution);
      if (step > degree)
        EXPECT_LE(error, 1e-10) << degree << " " << step;  // 2^(degree + 1) times that of the solves
      else
        EXPECT_GT(error, 1e-3) << degree << " " << step;
    }
  }
}

TYPED_TEST(InitialGuessOf, ProjectionIsTheBestInTheSpanOfTheLastSolutions) {
  constexpr int k = 3;
  for (const bool definite : {true, false})
    for (const double change : {0.0, 0.3}) {
      Guesses<TypeParam> solver(method_with(definite ? "cg" : "gmres", "projection:3"));
      BlockCsr<TypeParam> A(system(definite));
      std::vector<Numbers> X;
      for (int step = 0; step < 9; ++step) {
        const BlockCsrData data = system(definite, change * step);
        A.update(data.value);
        const Numbers b = random_numbers(A.size(), 1 + static_cast<unsigned>(step));
        solver.solve(A, b);
        if (step > 0) {
          const Numbers best = best_of_span(dense(data), X, b, definite);
          EXPECT_LE(max_difference(solver.guess, best), 1e-9 * max_norm(solver.solution)) << definite << change << step;
        }
        X.push_back(solver.solution);
        if (X.size() > k) X.erase(X.begin());
      }
    }
}

TYPED_TEST(InitialGuessOf, ProjectionFindsASolutionInTheSpanAtOnceAndStaysWhereNothingIsNew) {
  const BlockCsr<TypeParam> symmetric(system(true)), other(system(false));
  for (const char* method : {"cg", "bicgstab"}) {
    const Matrix<TypeParam>& A = method == std::string("cg") ? symmetric : other;
    Guesses<TypeParam> solver(method_with(method, "projection:4", 1e-10));
    const Numbers p = random_numbers(A.size(), 1), q = random_numbers(A.size(), 2);
    EXPECT_GT(solver.solve(A, p).iterations, 3);
    EXPECT_GT(solver.solve(A, q).iterations, 3);
    for (int i = 0; i < 7; ++i) {
      const double a = std::cos(0.4 * i), b = std::sin(0.4 * i);
      EXPECT_EQ(solver.solve(A, combined({p, q}, {a, b})).iterations, 0) << method << i;
    }
    EXPECT_GT(solver.solve(A, random_numbers(A.size(), 3)).iterations, 3);
    EXPECT_EQ(solver.solve(A, combined({p, q}, {2, -1})).iterations, 0) << method;  // nothing was pushed out
  }
}

// A right-hand side that turns slowly among more directions than are kept.
TYPED_TEST(InitialGuessOf, IterationsFallWhereRightHandSidesChangeSlowly) {
  const SeparableStencil<TypeParam> A(box({10, 8, 6}, EndCondition::dirichlet, true));
  const auto iterations = [&](const std::string& guess) {
    LinearSolver<TypeParam> solver(read_case_text(method_with("cg", guess, 1e-6), "case.toml"));
    solver.setup(A);
    Array<double, TypeParam> x(Numbers(at(A.size())));
    int sum = 0;
    for (int step = 0; step < 40; ++step) {
      Numbers b(at(A.size()));
      for (int i = 0; i < A.size(); ++i)
        for (int wave = 1; wave < 8; ++wave) b[at(i)] += std::sin(0.37 * wave * i + 0.04 * wave * step) / wave;
      const int n = solver.solve(A, Array<double, TypeParam>(b), x).iterations;
      if (step >= 10) sum += n;
    }
    return sum;
  };
  const int previous = iterations("previous"), zero = iterations("zero");
  EXPECT_LT(previous, zero);
  EXPECT_LT(iterations("extrapolation:2"), 0.8 * previous);
  EXPECT_LT(iterations("projection:8"), 0.7 * previous);
}

TYPED_TEST(InitialGuessOf, ConstantsOfASingularSystemStayOut) {
  const SeparableStencil<TypeParam> A(box({9, 8, 1}, EndCondition::neumann, true));
  for (const char* guess : {"projection:4", "extrapolation:2"})
    for (const char* method : {"cg", "bicgstab"}) {
      Guesses<TypeParam> solver(method_with(method, guess, 1e-8));
      for (int step = 0; step < 9; ++step) {
        Numbers b = random_numbers(A.size(), 4 + static_cast<unsigned>(step));
        for (double& v : b) v += 100;  // not compatible
        solver.solve(A, b);
        EXPECT_LE(std::abs(mean(solver.guess)), 1e-11 * max_norm(solver.solution)) << guess << method << step;
        EXPECT_LE(std::abs(mean(solver.solution)), 1e-13 * max_norm(solver.solution)) << guess << method << step;
      }
    }
}

TYPED_TEST(InitialGuessOf, ItAllocatesInTheFirstSolveOnlyAndBeginsAnewWithAnotherSize) {
  const SeparableStencil<TypeParam> A(box({8, 6, 5}, EndCondition::dirichlet, true)),
      larger(box({8, 7, 5}, EndCondition::dirichlet, true));
  for (const char* guess : {"projection:3", "extrapolation:2"})
    for (const char* method : {"cg", "bicgstab"}) {
      Guesses<TypeParam> solver(method_with(method, guess, 1e-8));
      solver.solve(A, random_numbers(A.size(), 1));
      std::vector<Array<double, TypeParam>> b;
      for (unsigned step = 0; step < 8; ++step) b.emplace_back(random_numbers(A.size(), 2 + step));
      Array<double, TypeParam> x(Numbers(at(A.size())));
      LinearSolver<TypeParam> quiet(read_case_text(method_with(method, guess, 1e-8), "case.toml"));
      quiet.setup(A);
      quiet.solve(A, b[7], x);
      const Ledger before = ledger();
      for (int step = 0; step < 6; ++step) {
        quiet.update(A);
        quiet.solve(A, b[at(step)], x);
      }
      EXPECT_EQ(ledger().host_allocations, before.host_allocations) << method << guess;
      EXPECT_EQ(ledger().device_allocations, before.device_allocations) << method << guess;
      solver.solve(larger, random_numbers(larger.size(), 1));
      EXPECT_EQ(max_norm(solver.guess), 0) << method << guess;
    }
}

TEST(InitialGuess, IsNamedCountedAndRefused) {
  const auto table = [](const std::string& guess, const std::string& method = "cg") {
    return read_case_text("method = '" + method + "'\ninitial_guess = '" + guess + "'", "case.toml");
  };
  for (const char* wrong : {"projection", "projection:", "projection:0", "projection:65", "projection:4x",
                            "projection:-1", "extrapolation:9", "extrapolation:1.5", "random", ""})
    try {
      const LinearSolver<Host> solver(table(wrong));
      ADD_FAILURE() << wrong;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Exit::usage);
      EXPECT_NE(std::string(e.what()).find("case.toml:2: "), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("projection:K"), std::string::npos) << e.what();
    }
  EXPECT_NE(LinearSolver<Host>(table("projection:8")).describe().find("from the last 8 solutions"), std::string::npos);
  EXPECT_FALSE(LinearSolver<Host>(table("zero")).remembers());
  EXPECT_TRUE(LinearSolver<Host>(table("extrapolation:2")).remembers());
  const MatrixSize size{.rows = 1000};
  const auto vectors = [&](const std::string& guess, const std::string& method) {
    return (linear_solver_bytes(table(guess, method), "cg", "none", size) -
            linear_solver_bytes(table("zero", method), "cg", "none", size)) /
           8000;
  };
  EXPECT_EQ(vectors("extrapolation:3", "cg"), 4);
  EXPECT_EQ(vectors("projection:8", "cg"), 10);     // U with a place for the newest, and A u
  EXPECT_EQ(vectors("projection:8", "gmres"), 18);  // U and C
}

}  // namespace
}  // namespace weir::test::initial_guess_test
