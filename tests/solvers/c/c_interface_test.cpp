// solvers/c/weir.h as a C program calls it.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "solvers/device/array.hpp"
#include "tests/solvers/c/system.hpp"

namespace weir::test::c {
namespace {

TEST(CInterface, SolvesAndUpdates) {
  System A(20, 3);
  Solver s(gmres);
  weir_csr csr = A.csr();
  ASSERT_EQ(weir_setup(s.handle, &csr), WEIR_OK) << s.error();
  for (int pass = 0; pass < 2; ++pass) {
    const std::vector<double> exact = random_vector(A.size(), 7), b = A.product(exact, false);
    std::vector<double> x(exact.size());
    weir_result result{};
    result.bytes = sizeof result;
    ASSERT_EQ(weir_solve(s.handle, b.data(), x.data(), &result), WEIR_OK) << s.error();
    EXPECT_EQ(result.reason, WEIR_CONVERGED);
    EXPECT_LE(result.residual, result.target);
    EXPECT_LT(distance(x, exact), 1e-10);
    const double* norms = nullptr;
    std::int32_t count = 0;
    ASSERT_EQ(weir_history(s.handle, &norms, &count), WEIR_OK);
    EXPECT_GE(count, result.iterations);
    for (double& v : A.value) v *= 1.5;
    ASSERT_EQ(weir_update(s.handle, A.value.data()), WEIR_OK) << s.error();
  }
}

// 32-bit row starts that count from one, and blocks by columns, give the same bits as the other form.
TEST(CInterface, EveryFormOfAMatrixIsTheSame) {
  const System A(12, 2);
  const std::vector<double> b = random_vector(A.size(), 3);
  std::vector<double> x(b.size()), y(b.size());
  Solver s(gmres), t(gmres);
  const weir_csr csr = A.csr();
  ASSERT_EQ(weir_setup(s.handle, &csr), WEIR_OK);
  ASSERT_EQ(weir_solve(s.handle, b.data(), x.data(), nullptr), WEIR_OK);

  std::vector<std::int32_t> start(A.start.begin(), A.start.end()), column = A.column;
  for (auto& i : start) ++i;
  for (auto& i : column) ++i;
  std::vector<double> value = A.value;
  for (std::size_t e = 0; e < value.size(); e += 4) std::swap(value[e + 1], value[e + 2]);
  const weir_csr other{sizeof(weir_csr), WEIR_ONE_BASED | WEIR_COLUMN_MAJOR, A.rows, 2, 32, start.data(), column.data(),
                       value.data()};
  ASSERT_EQ(weir_setup(t.handle, &other), WEIR_OK) << t.error();
  ASSERT_EQ(weir_solve(t.handle, b.data(), y.data(), nullptr), WEIR_OK);
  EXPECT_EQ(x, y);
}

TEST(CInterface, TheArraysOfASetupAreNotReadAgain) {
  Solver s(gmres);
  std::vector<double> b(100, 1.0), x(100);
  {
    const System A(10, 1);
    const weir_csr csr = A.csr();
    ASSERT_EQ(weir_setup(s.handle, &csr), WEIR_OK);
  }
  const System A(10, 1);
  ASSERT_EQ(weir_update(s.handle, A.value.data()), WEIR_OK);
  ASSERT_EQ(weir_solve(s.handle, b.data(), x.data(), nullptr), WEIR_OK);
  EXPECT_LT(distance(A.product(x, false), b), 1e-9);
}

TEST(CInterface, TransposedSystems) {
  const System A(16, 2);
  Solver s(gmres);
  const weir_csr csr = A.csr();
  ASSERT_EQ(weir_setup(s.handle, &csr), WEIR_OK);
  const std::vector<double> exact = random_vector(A.size(), 5), b = A.product(exact, true);
  std::vector<double> x(b.size());
  weir_result result{};
  result.bytes = sizeof result;
  ASSERT_EQ(weir_solve_transposed(s.handle, b.data(), x.data(), &result), WEIR_OK) << s.error();
  EXPECT_EQ(result.reason, WEIR_CONVERGED);
  EXPECT_LT(distance(x, exact), 1e-10);
}

TEST(CInterface, ManyRightHandSides) {
  const System A(12, 1);
  Solver s(gmres);
  const weir_csr csr = A.csr();
  ASSERT_EQ(weir_setup(s.handle, &csr), WEIR_OK);
  const int n = A.size(), stride = n + 3;
  std::vector<double> b(3 * stride), x(3 * stride);
  for (int j = 0; j < 3; ++j) {
    const std::vector<double> one = random_vector(n, 10 + j);
    std::copy(one.begin(), one.end(), b.begin() + j * stride);
  }
  std::vector<weir_result> results(3);
  results[0].bytes = sizeof(weir_result);
  ASSERT_EQ(weir_solve_many(s.handle, 3, b.data(), stride, x.data(), stride, results.data()), WEIR_OK) << s.error();
  for (int j = 0; j < 3; ++j) {
    EXPECT_EQ(results[j].reason, WEIR_CONVERGED);
    const std::vector<double> xj(x.begin() + j * stride, x.begin() + j * stride + n);
    EXPECT_LT(distance(A.product(xj, false), std::vector<double>(b.begin() + j * stride, b.begin() + j * stride + n)),
              1e-10);
  }
}

// A matrix of constant bands against its dense form.
template <class Space>
void solve_a_stencil(std::array<int, 3> cells, unsigned periodic, double wind, const std::string& options) {
  const auto [nx, ny, nz] = cells;
  const int rows = nx * ny * nz, bands = nz > 1 ? 7 : 5, from = nz > 1 ? 0 : 1;
  const int size[] = {nx, ny, nz}, stride[] = {1, nx, nx * ny}, axis[] = {2, 1, 0, -1, 0, 1, 2};
  std::vector<double> value(static_cast<std::size_t>(bands) * rows);
  std::vector<std::vector<double>> dense(rows, std::vector<double>(rows));
  for (int c = 0; c < rows; ++c)
    for (int s = 0; s < bands; ++s) {
      const int slot = s + from, d = axis[slot], step = slot < 3 ? -1 : 1;
      const double a = d < 0 ? 6.5 : d == 0 ? -1 - step * wind : -1 - 0.1 * d;
      value[static_cast<std::size_t>(s) * rows + c] = a;
      if (d < 0) dense[c][c] += a;
      if (d < 0 || size[d] == 1) continue;
      const int at = c / stride[d] % size[d] + step;
      const bool is_inside = at >= 0 && at < size[d];
      if (is_inside || periodic >> d & 1) dense[c][c + (is_inside ? step : step * (1 - size[d])) * stride[d]] += a;
    }
  const weir::Array<double, Space> given(value), b(random_vector(rows, 3));
  weir_stencil A{
      sizeof A, std::is_same_v<Space, weir::Device> ? WEIR_ON_DEVICE : 0, {nx, ny, nz}, periodic, given.data()};
  Solver s(options);
  ASSERT_EQ(weir_setup_stencil(s.handle, &A), WEIR_OK) << s.error();
  const std::vector<double> rhs = b.to_vector();
  for (const bool is_transposed : {false, true}) {
    weir::Array<double, Space> x(std::vector<double>(rows, 0.0));
    weir_result result{};
    result.bytes = sizeof result;
    ASSERT_EQ((is_transposed ? weir_solve_transposed : weir_solve)(s.handle, b.data(), x.data(), &result), WEIR_OK)
        << s.error();
    EXPECT_EQ(result.reason, WEIR_CONVERGED);
    const std::vector<double> found = x.to_vector();
    for (int i = 0; i < rows; ++i) {
      double sum = 0;
      for (int j = 0; j < rows; ++j) sum += (is_transposed ? dense[j][i] : dense[i][j]) * found[j];
      EXPECT_NEAR(sum, rhs[i], 1e-9) << i;
    }
  }
  ASSERT_EQ(weir_update(s.handle, given.data()), WEIR_OK) << s.error();
}

const std::string by_multigrid = "method = \"cg\"\ntolerance = 1e-12\npreconditioner = { type = \"multigrid\" }";

TEST(CInterface, AStencilIsTheSameAsItsRows) {
  solve_a_stencil<weir::Host>({6, 5, 4}, 0, 0.3, gmres);
  solve_a_stencil<weir::Host>({6, 5, 4}, WEIR_X | WEIR_Z, 0.3, gmres);
  solve_a_stencil<weir::Host>({9, 7, 1}, WEIR_Y, 0.3, gmres);
  solve_a_stencil<weir::Host>({8, 8, 4}, 0, 0, by_multigrid);
}
TEST(CInterfaceOnDevice, AStencilIsTheSameAsItsRows) {
  solve_a_stencil<weir::Device>({6, 5, 1}, WEIR_X, 0.3, gmres);
  solve_a_stencil<weir::Device>({8, 4, 2}, 0, 0, by_multigrid);
}

TEST(CInterface, AWrongStencilIsRefused) {
  const std::vector<double> value(7 * 8, 1.0);
  Solver s(gmres);
  const weir_stencil right{sizeof right, 0, {2, 2, 2}, 0, value.data()};
  weir_stencil A = right;
  A.bytes = 8;
  EXPECT_EQ(weir_setup_stencil(s.handle, &A), WEIR_BAD_INPUT);
  A = right, A.cells[1] = 0;
  EXPECT_EQ(weir_setup_stencil(s.handle, &A), WEIR_BAD_INPUT);
  A = right, A.periodic = 8;
  EXPECT_EQ(weir_setup_stencil(s.handle, &A), WEIR_BAD_INPUT);
  A = right, A.value = nullptr;
  EXPECT_EQ(weir_setup_stencil(s.handle, &A), WEIR_BAD_INPUT);
  A = right, A.flags = WEIR_BORROW;
  EXPECT_EQ(weir_setup_stencil(s.handle, &A), WEIR_BAD_INPUT);
  EXPECT_EQ(weir_setup_stencil(s.handle, nullptr), WEIR_BAD_INPUT);
}

int laplace(void* context, const double* x, double* y) {
  const int n = *static_cast<const int*>(context);
  for (int i = 0; i < n; ++i) y[i] = 2.1 * x[i] - (i > 0 ? x[i - 1] : 0) - (i < n - 1 ? x[i + 1] : 0);
  return 0;
}

TEST(CInterface, AnOperatorWithoutAMatrix) {
  int n = 200;
  Solver s("method = \"cg\"\npreconditioner = { type = \"none\" }\ntolerance = 1e-12");
  ASSERT_EQ(weir_setup_operator(s.handle, n, WEIR_SYMMETRIC, laplace, &n, nullptr), WEIR_OK) << s.error();
  const std::vector<double> b(n, 1.0);
  std::vector<double> x(n), y(n);
  weir_result result{};
  result.bytes = sizeof result;
  ASSERT_EQ(weir_solve(s.handle, b.data(), x.data(), &result), WEIR_OK) << s.error();
  EXPECT_EQ(result.reason, WEIR_CONVERGED);
  laplace(&n, x.data(), y.data());
  EXPECT_LT(distance(y, b), 1e-9);
  EXPECT_EQ(weir_solve_transposed(s.handle, b.data(), x.data(), nullptr), WEIR_BAD_INPUT);

  const auto fail = [](void*, const double*, double*) { return 7; };
  ASSERT_EQ(weir_setup_operator(s.handle, n, WEIR_SYMMETRIC, fail, &n, nullptr), WEIR_OK);
  EXPECT_EQ(weir_solve(s.handle, b.data(), x.data(), nullptr), WEIR_SOLVER_FAILED);
  EXPECT_NE(s.error().find("the operator returned 7"), std::string::npos) << s.error();
}

TEST(CInterface, ACancelledSolveEnds) {
  const System A(30, 1);
  Solver s("method = \"gmres\"\ntolerance = 1e-12\npreconditioner = { type = \"none\" }");
  const weir_csr csr = A.csr();
  ASSERT_EQ(weir_setup(s.handle, &csr), WEIR_OK);
  std::vector<double> b(A.size(), 1.0), x(A.size());
  weir_result result{};
  result.bytes = sizeof result;
  ASSERT_EQ(weir_cancel(s.handle), WEIR_OK);
  ASSERT_EQ(weir_solve(s.handle, b.data(), x.data(), &result), WEIR_OK);
  EXPECT_EQ(result.reason, WEIR_CANCELLED);
  ASSERT_EQ(weir_solve(s.handle, b.data(), x.data(), &result), WEIR_OK);
  EXPECT_EQ(result.reason, WEIR_CONVERGED);
}

TEST(CInterface, SystemsAreRecorded) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "weir_c_record";
  std::filesystem::remove_all(folder);
  System A(6, 2);
  setenv("WEIR_CAPTURE", folder.c_str(), 1);
  Solver s(gmres), unused(gmres);
  unsetenv("WEIR_CAPTURE");
  const weir_csr csr = A.csr();
  ASSERT_EQ(weir_setup(s.handle, &csr), WEIR_OK);
  const std::vector<double> b = random_vector(2 * A.size(), 1);
  std::vector<double> x(b.size());
  for (int pass = 0; pass < 2; ++pass) {
    ASSERT_EQ(weir_solve_many(s.handle, 2, b.data(), A.size(), x.data(), A.size(), nullptr), WEIR_OK) << s.error();
    ASSERT_EQ(weir_update(s.handle, A.value.data()), WEIR_OK);
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "1" / "system_00000003.weir"));
  EXPECT_FALSE(std::filesystem::exists(folder / "1" / "system_00000004.weir"));
  EXPECT_FALSE(std::filesystem::exists(folder / "2"));
  EXPECT_EQ(weir_record(s.handle, (folder / "1").c_str()), WEIR_FILE_IO);  // has systems
  EXPECT_EQ(weir_record(s.handle, nullptr), WEIR_OK);
  ASSERT_EQ(weir_solve(s.handle, b.data(), x.data(), nullptr), WEIR_OK);
}

// A struct of an older or a newer header: the library reads and writes no more than the caller has.
TEST(CInterface, StructsOfOtherVersions) {
  const System A(8, 1);
  Solver s(gmres);
  struct Newer {
    weir_csr known;
    double more = 42;
  } newer{A.csr()};
  newer.known.bytes = sizeof newer;
  ASSERT_EQ(weir_setup(s.handle, &newer.known), WEIR_OK) << s.error();
  std::vector<double> b(A.size(), 1.0), x(A.size());
  alignas(weir_result) unsigned char older[sizeof(weir_result)];
  std::memset(older, 0xab, sizeof older);
  const std::uint32_t bytes = 24;  // up to residual0
  std::memcpy(older, &bytes, sizeof bytes);
  ASSERT_EQ(weir_solve(s.handle, b.data(), x.data(), reinterpret_cast<weir_result*>(older)), WEIR_OK) << s.error();
  for (std::size_t i = bytes; i < sizeof older; ++i) EXPECT_EQ(older[i], 0xab) << i;
}

TEST(CInterface, TwoSolversInTwoThreads) {
  const System A(24, 2), B(20, 3, 9);
  const auto run = [](const System& of, std::vector<double>& x) {
    Solver s(gmres);
    weir_set_threads(s.handle, 1);
    const weir_csr csr = of.csr();
    ASSERT_EQ(weir_setup(s.handle, &csr), WEIR_OK);
    const std::vector<double> b(of.size(), 1.0);
    for (int i = 0; i < 20; ++i) {
      x.assign(b.size(), 0.0);
      ASSERT_EQ(weir_solve(s.handle, b.data(), x.data(), nullptr), WEIR_OK);
    }
  };
  std::vector<double> alone_a, alone_b, x, y;
  run(A, alone_a);
  run(B, alone_b);
  std::thread first([&] { run(A, x); }), second([&] { run(B, y); });
  first.join();
  second.join();
  EXPECT_EQ(x, alone_a);
  EXPECT_EQ(y, alone_b);
}

// A x = 1 with all arrays in device memory: the solution, after an update with the same values.
std::vector<double> solution_on_device(const System& A, const std::string& options) {
  const weir::Array<std::int64_t, weir::Device> start(A.start);
  const weir::Array<std::int32_t, weir::Device> column(A.column);
  const weir::Array<double, weir::Device> value(A.value), b(std::vector<double>(A.size(), 1.0));
  weir::Array<double, weir::Device> x(std::vector<double>(A.size(), 0.0));
  weir_csr csr = A.csr();
  csr.flags = WEIR_ON_DEVICE;
  csr.row_start = start.data(), csr.column = column.data(), csr.value = value.data();
  Solver s(options);
  EXPECT_EQ(weir_setup(s.handle, &csr), WEIR_OK) << s.error();
  EXPECT_EQ(weir_update(s.handle, value.data()), WEIR_OK) << s.error();
  EXPECT_EQ(weir_solve(s.handle, b.data(), x.data(), nullptr), WEIR_OK) << s.error();
  return x.to_vector();
}

TEST(CInterfaceOnDevice, ArraysOfTheDevice) {
  const System A(10, 2);
  EXPECT_LT(distance(A.product(solution_on_device(A, gmres), false), std::vector<double>(A.size(), 1.0)), 1e-9);
}

// Each thread finds the bits that it finds alone. Arrays are made and destroyed in the threads too.
TEST(CInterfaceOnDevice, TwoSolversInTwoThreads) {
  const System A(8, 2), B(9, 2);
  const std::string other = "method = \"bicgstab\"\npreconditioner = { type = \"multicolor\" }";
  const auto alone_a = solution_on_device(A, gmres), alone_b = solution_on_device(B, other);
  const auto repeat = [](const System& of, const std::string& options, const std::vector<double>& expected) {
    for (int k = 0; k < 20; ++k) EXPECT_EQ(solution_on_device(of, options), expected);
  };
  std::thread first([&] { repeat(A, gmres, alone_a); }), second([&] { repeat(B, other, alone_b); });
  first.join();
  second.join();
}

}  // namespace
}  // namespace weir::test::c
