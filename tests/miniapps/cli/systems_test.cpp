// `weir solve` and `weir doctor` end to end: exit codes, what is said, which solvers run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <vector>

#include "tests/support/program_test.hpp"

namespace weir::systems_test {
namespace {

using testing::Finished;
using testing::write_file;

class Systems : public testing::ProgramTest {
 protected:
  Systems() : ProgramTest(WEIR_TOY) {}
  void write(const std::string& entries, const std::string& name = "a.mtx") const {
    write_file(folder / name, "%%MatrixMarket matrix coordinate real general\n" + entries);
  }
};

void expect_says(const Finished& f, const std::string& part) {
  EXPECT_NE(f.out.find(part), std::string::npos) << part << "\n---\n" << f.out << f.err;
}

TEST_F(Systems, TheDefaultListSolvesABand) {
  const Finished f = weir({"solve", "banded:500"});
  EXPECT_EQ(f.code, 0) << f.err;
  expect_says(f, "500 rows, 2494 entries");
  expect_says(f, "bicgstab+block_ilu0");
}

TEST_F(Systems, NamedSolversMustAllConvergeAndTheSolutionIsWritten) {
  const Finished f =
      weir({"solve", "banded:100:1", "--rhs", "row-sums", "--solver", "bicgstab+jacobi", "--solution", "x.mtx"});
  EXPECT_EQ(f.code, 0) << f.err;
  const std::string x = testing::read_file(folder / "x.mtx");
  EXPECT_NE(x.find("100 1\n"), std::string::npos);
  EXPECT_EQ(weir({"solve", "banded:100:1", "--solver", "gmres", "--max-iterations", "1"}).code, 3);
}

TEST_F(Systems, BlocksOfManyUnknownsAreMadeFromTwoSystems) {
  write("2 2 4\n1 1 4\n1 2 1\n2 1 -1\n2 2 5\n", "two.mtx");
  write("3 3 3\n1 1 3\n2 2 4\n3 3 5\n", "three.mtx");
  const Finished f = weir({"solve", "augment:7:2=two.mtx:3=three.mtx", "--solver", "gmres+block_ilu0"});
  EXPECT_EQ(f.code, 0) << f.err;
  expect_says(f, "7 rows, 49 entries in blocks of 7");
  for (const char* bad : {"augment:", "augment:7", "augment:7:2=two.mtx", "augment:1:2=two.mtx:3=three.mtx",
                          "augment:66:2=two.mtx:3=three.mtx", "augment:7:2=two.mtx:3"})
    EXPECT_NE(weir({"solve", bad}).code, 0) << bad;
  EXPECT_EQ(weir({"solve", "augment:66:2=two.mtx:3=three.mtx"}).code, 2);
  EXPECT_EQ(weir({"solve", "augment:7:x=two.mtx:3=three.mtx"}).code, 2);
}

TEST_F(Systems, WhatIsMistypedIsAUsageError) {
  EXPECT_EQ(weir({"solve", "banded:x"}).code, 2);
  EXPECT_EQ(weir({"solve", "nothing.mtx"}).code, 2);
  EXPECT_EQ(weir({"doctor", "two.mtx/nothing.mtx"}).code, 2);
  EXPECT_EQ(weir({"solve", "banded:10", "--solver", "nothing.toml"}).code, 2);
  EXPECT_EQ(weir({"solve", "."}).code, 6);
  EXPECT_EQ(weir({"solve", "banded:10", "--solver", "magic"}).code, 2);
  EXPECT_EQ(weir({"solve", "banded:10", "--solver", "eigen:magic"}).code, 2);
  EXPECT_EQ(weir({"doctor", "nothing.mtx"}).code, 2);
}

TEST_F(Systems, WhatUnpacksToMuchMoreThanItsSizeIsNotUnpacked) {
  const char* const bomb =  // 400 MB
      "head -c 8000000 /dev/zero | gzip > part && for i in $(seq 50); do cat part; done > bomb.mtx.gz";
  ASSERT_EQ(testing::run({"/bin/sh", "-c", bomb}, folder.path()).code, 0);
  const Finished f = weir({"solve", "bomb.mtx.gz"});
  if (f.err.find("lacks zlib") != std::string::npos) GTEST_SKIP();
  EXPECT_EQ(f.code, 6);
  EXPECT_NE(f.err.find("more than 64 times its size"), std::string::npos) << f.err;
}

// hypre is a plugin next to the program: a copy of the program alone says what it misses, and works otherwise.
TEST_F(Systems, AProgramWithoutItsPluginSaysSo) {
  const std::string alone = folder / "alone";
  std::filesystem::copy_file(WEIR_TOY, alone);
  const Finished f = testing::run({alone, "solve", "banded:100:1", "--solver", "hypre:gmres+ilu"}, folder.path());
  EXPECT_EQ(f.code, 2);
  EXPECT_TRUE(f.out.find("weir_hypre.so is missing") != std::string::npos ||
              f.out.find("lacks hypre") != std::string::npos)
      << f.out;
  EXPECT_EQ(testing::run({alone, "solve", "banded:100:1"}, folder.path()).code, 0);
}

TEST_F(Systems, AMatrixThatIsSymmetricButForRoundingMayUseCg) {
  write("2 2 4\n1 1 4\n1 2 -1.0000000000000031\n2 1 -1\n2 2 4\n");
  const Finished f = weir({"solve", "a.mtx", "--solver", "cg+block_ilu0"});
  EXPECT_EQ(f.code, 0) << f.out << f.err;
  expect_says(f, ", symmetric");
  expect_says(weir({"doctor", "a.mtx"}), "symmetric to rounding (7.8e-16)");
}

TEST_F(Systems, ARefusalReadsAsOne) {
  write("2 2 4\n1 1 4\n1 2 -1.001\n2 1 -1\n2 2 4\n");
  const Finished f = weir({"solve", "a.mtx", "--solver", "cg"});
  EXPECT_EQ(f.code, 2);
  expect_says(f, "refused: cg needs a symmetric matrix");
  expect_says(f, "diagnosis: not_symmetric");
  const Finished multigrid = weir({"solve", "banded:100:1", "--solver", "gmres+multigrid"});
  EXPECT_EQ(multigrid.code, 2);
  expect_says(multigrid, "refused: multigrid supports stencil, banded; this is a block CSR matrix");
  EXPECT_EQ(multigrid.out.find("ended as converged"), std::string::npos) << multigrid.out;
}

TEST_F(Systems, ASolverThatDoesNotFitDoesNotEndTheList) {
  for (const char* unfit : {"fast_poisson", "magic", "petsc:-no such option", "cusparse:none"}) {
    const Finished f = weir({"solve", "banded:10", "--solver", unfit, "--solver", "gmres+jacobi"});
    EXPECT_EQ(f.code, 2) << unfit;
    expect_says(f, "refused: ");
    expect_says(f, "converged");
  }
}

TEST_F(Systems, TwoDoublesMeetATolerance) {
  const Finished f =
      weir({"solve", "banded:200", "--solver", "gmres+block_ilu0", "--extended", "--tolerance", "1e-25"});
  EXPECT_EQ(f.code, 0) << f.out << f.err;
  expect_says(f, "converged");
}

TEST_F(Systems, TheDoctorFindsNothingInAHealthyMatrix) {
  const Finished f = weir({"doctor", "banded:60"});
  EXPECT_EQ(f.code, 0) << f.err;
  expect_says(f, "strict in 60 of 60 rows");
  expect_says(f, "condition");
  expect_says(f, "weir solve banded:60 --solver bicgstab+block_ilu0");
}

TEST_F(Systems, TheDoctorNamesWhatNoSolverGetsPast) {
  write("3 3 4\n1 1 1\n2 2 nan\n3 3 1\n1 3 -inf\n");
  const Finished bad = weir({"doctor", "a.mtx"});
  EXPECT_EQ(bad.code, 5);
  expect_says(bad, "2 entries are NaN or Inf (first: row 2, column 2)");

  write("3 3 4\n1 1 1\n2 2 2\n3 3 1\n2 2 5\n");
  const Finished twice = weir({"doctor", "a.mtx"});
  EXPECT_EQ(twice.code, 5);
  expect_says(twice, "1 duplicate entries (first: row 2, column 2)");

  write("3 3 3\n1 1 1\n3 3 1\n1 2 1\n");
  const Finished empty = weir({"doctor", "a.mtx"});
  EXPECT_EQ(empty.code, 5);
  expect_says(empty, "empty rows    1 (first: row 2)");
  expect_says(empty, "missing in 1 (first: row 2)");
  expect_says(empty, "The matrix is singular");
}

// Scalars times 1, a chain with springs of `leak` to the ground at both ends; x = 1 for b = A 1.
std::string chain(int n, double leak, const std::string& unit = "") {
  std::string text = std::to_string(n) + " " + std::to_string(n) + " " + std::to_string(3 * n - 2) + "\n";
  char number[64];
  for (int i = 1; i <= n; ++i) {
    const bool is_end = i == 1 || i == n;
    std::snprintf(number, sizeof number, "%.17g", (is_end ? 1 : 2) + (is_end ? leak : 0));
    for (int j = std::max(1, i - 1); j <= std::min(n, i + 1); ++j)
      text += std::to_string(i) + " " + std::to_string(j) + " " + (i == j ? number : "-1") + unit + "\n";
  }
  return text;
}

// Whether or not rounding keeps the residual above the tolerance: x is of the size 1 / leak, not zero.
TEST_F(Systems, ARegularMatrixIsSolvedHoweverCloseToSingularItIs) {
  for (const double leak : {1e-3, 1e-6, 1e-10, 1e-13}) {
    write(chain(6, leak));
    const Finished f = weir({"solve", "a.mtx", "--solver", "eigen:sparse_lu", "--solution", "x.mtx"});
    if (f.out.find("lacks Eigen") != std::string::npos) GTEST_SKIP() << f.out;
    EXPECT_EQ(f.out.find("singular"), std::string::npos) << leak << f.out;
    if (leak == 1e-3) {
      EXPECT_EQ(f.code, 0) << f.out;
    }
    const std::string text = testing::read_file(folder / "x.mtx");
    const double x = std::stod(text.substr(text.find("6 1\n") + 4)), exact = 3 / ((1 + leak) - 1);
    EXPECT_NEAR(x, exact, 0.1 * exact) << leak << f.out;
  }
  write("3 3 7\n1 1 1e13\n1 2 -1e13\n2 1 -1e13\n2 2 2e13\n2 3 -1e13\n3 2 -1e13\n3 3 10000000000001\n");
  const Finished f = weir({"solve", "a.mtx", "--solver", "eigen:sparse_lu", "--solution", "x.mtx"});
  const std::string text = testing::read_file(folder / "x.mtx");
  EXPECT_NEAR(std::stod(text.substr(text.find("3 1\n") + 4)), 3, 0.1) << f.out;
}

TEST_F(Systems, WhatLiesOutsideTheRangeOfASingularMatrixIsNoSolution) {
  write_file(folder / "fair.mtx", "%%MatrixMarket matrix array real general\n6 1\n1\n2\n-1\n-2\n3\n-3\n");
  for (const char* block : {"1", "2", "3", "6"}) {
    write(chain(6, 0));
    const Finished ones = weir({"solve", "a.mtx", "--block", block, "--solver", "gmres", "--solver", "cg+jacobi"});
    EXPECT_EQ(ones.code, 3) << block << ones.out;
    EXPECT_EQ(ones.out.find("converged"), std::string::npos) << ones.out;
    expect_says(ones, "1.000e+00");
    expect_says(ones, "lies outside the range of the matrix");
    const Finished fair =
        weir({"solve", "a.mtx", "--block", block, "--rhs", "fair.mtx", "--solver", "gmres", "--solver", "cg+jacobi"});
    EXPECT_EQ(fair.code, 0) << block << fair.out;
    expect_says(fair, "singular: all rows and columns sum to zero");
  }
}

// Dense blocks, as of discontinuous Galerkin methods with the constants as null space.
TEST_F(Systems, SingularMatricesWithDenseBlocksAreSolvedByFactors) {
  for (const int B : {2, 3, 4, 5, 8}) {
    const int elements = 6, n = elements * B;
    std::vector<std::vector<double>> A(n, std::vector<double>(n));
    const auto couple = [&](int i, int j, double w) { A[i][i] += w, A[j][j] += w, A[i][j] -= w, A[j][i] -= w; };
    for (int e = 0; e < elements; ++e)
      for (int u = 0; u < B; ++u) {
        for (int v = u + 1; v < B; ++v) couple(e * B + u, e * B + v, 1 + 0.25 * u);
        for (int v = 0; v < B && e + 1 < elements; ++v) couple(e * B + u, (e + 1) * B + v, 0.5 + 0.125 * v);
      }
    std::string entries, right;
    int count = 0;
    for (int i = 0; i < n; ++i) {
      right += std::to_string(i % 2 == 0 ? 1 : -1) + "\n";
      for (int j = 0; j < n; ++j)
        if (A[i][j] != 0)
          ++count,
              entries += std::to_string(i + 1) + " " + std::to_string(j + 1) + " " + std::to_string(A[i][j]) + "\n";
    }
    write(std::to_string(n) + " " + std::to_string(n) + " " + std::to_string(count) + "\n" + entries);
    write_file(folder / "b.mtx", "%%MatrixMarket matrix array real general\n" + std::to_string(n) + " 1\n" + right);
    const Finished f = weir({"solve", "a.mtx", "--rhs", "b.mtx", "--solver", "cg+block_ilu0", "--solver",
                             "gmres+block_ilu0", "--solver", "gmres"});
    if (f.out.find("refused") != std::string::npos) continue;  // a pivot that is zero without rounding
    EXPECT_EQ(f.code, 0) << B << f.out;
  }
}

TEST_F(Systems, ASolutionThatIsNoDoubleIsNoSolution) {
  write("4 4 4\n1 1 .5\n2 2 .5\n3 3 .5\n4 4 .5\n");
  for (const char* b : {"1.2e308", "8e307"}) {
    const std::string four = std::string(b) + "\n" + b + "\n" + b + "\n" + b + "\n";
    write_file(folder / "b.mtx", "%%MatrixMarket matrix array real general\n4 1\n" + four);
    const Finished f = weir({"solve", "a.mtx", "--rhs", "b.mtx", "--solver", "cg", "--solver", "gmres+jacobi"});
    const bool fits = b == std::string("8e307");
    EXPECT_EQ(f.code, fits ? 0 : 3) << b << f.out;
    EXPECT_EQ(f.out.find("converged") != std::string::npos, fits) << f.out;
  }
}

TEST_F(Systems, ConvergedMeansTheToleranceThatWasGiven) {
  for (const char* tolerance : {"1e-13", "1e-14", "1e-15", "1e-16", "1e-17"}) {
    const Finished f = weir({"solve", "banded:300:1", "--solver", "gmres+jacobi", "--solver", "bicgstab", "--solver",
                             "idrs", "--solver", "pipelined_bicgstab", "--tolerance", tolerance});
    std::stringstream lines(f.out);
    for (std::string line; std::getline(lines, line);) {
      std::stringstream words(line);
      std::string name, setup, solve, iterations, residual;
      words >> name >> setup >> solve >> iterations >> residual;
      if (!line.ends_with("converged") && !line.ends_with("stagnated")) continue;
      if (residual.find("e-") == std::string::npos) continue;  // of the diagnosis
      EXPECT_EQ(std::stod(residual) <= 1.0005 * std::stod(tolerance), line.ends_with("converged")) << line;
      EXPECT_LE(std::stod(residual), 1e-12) << line << ": lost what it had";
    }
  }
}

TEST_F(Systems, ASolutionReplacesNoInputAndNoFileOfAnotherKind) {
  namespace fs = std::filesystem;
  write(chain(3, 1));
  write_file(folder / "notes.txt", "mine");
  for (const char* file : {"a.mtx", "notes.txt"}) {
    const std::string before = testing::read_file(folder / file);
    EXPECT_EQ(weir({"solve", "a.mtx", "--solver", "cg", "--solution", file}).code, 2) << file;
    EXPECT_EQ(testing::read_file(folder / file), before);
  }
  fs::create_symlink("x.mtx", folder / "link");
  EXPECT_EQ(weir({"solve", "a.mtx", "--solver", "cg", "--solution", "link"}).code, 0);
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_TRUE(fs::is_regular_file(folder / "x.mtx"));
  EXPECT_EQ(weir({"solve", "a.mtx", "--solver", "cg", "--solution", "link"}).code, 0) << "its own is replaced";
  EXPECT_EQ(weir({"solve", "a.mtx", "--solver", "cg", "--solution", "/dev/null"}).code, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Systems, TheDoctorIsNotFooledByUnits) {
  write("2 2 2\n1 1 1.2e29\n2 2 7\n");
  const Finished f = weir({"doctor", "a.mtx"});
  EXPECT_EQ(f.code, 0) << f.out;
  EXPECT_EQ(f.out.find("is singular"), std::string::npos) << f.out;
  for (const char* unit : {"e200", "e-200"}) {
    write(chain(8, 1, unit));
    EXPECT_EQ(weir({"doctor", "a.mtx"}).code, 0) << unit;
    write(chain(8, 0, unit));
    expect_says(weir({"doctor", "a.mtx"}), "constant vectors are its null space");
  }
}

TEST_F(Systems, TheDoctorsCommandsRun) {
  write(chain(4, 0), "a matrix.mtx");
  const Finished f = weir({"doctor", "a matrix.mtx"});
  expect_says(f, "weir solve 'a matrix.mtx' --solver ");
  expect_says(f, "zero pivot in row 4");
  EXPECT_EQ(f.out.find("+block_ilu0"), std::string::npos) << f.out;
}

TEST_F(Systems, ARefusalCountsRowsFromOneAsTheFileDoes) {
  write("3 3 4\n1 1 1\n2 2 0\n3 3 1\n2 1 1\n");
  expect_says(weir({"solve", "a.mtx", "--solver", "gmres+jacobi"}), "the diagonal entry of row 2 (counted from 1");
}

TEST_F(Systems, TheDoctorKnowsAPressureMatrix) {
  write("3 3 7\n1 1 1\n1 2 -1\n2 1 -1\n2 2 2\n2 3 -1\n3 2 -1\n3 3 1\n");
  const Finished f = weir({"doctor", "a.mtx"});
  EXPECT_EQ(f.code, 0) << f.out;
  expect_says(f, "constant vectors are its null space");
  expect_says(f, "--solver cg+jacobi");
}

}  // namespace
}  // namespace weir::systems_test
