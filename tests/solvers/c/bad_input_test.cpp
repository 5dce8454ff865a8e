// Input of every wrong kind: an error with its reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/solvers/c/system.hpp"

namespace weir::test::c {
namespace {

TEST(CInterface, BadInputIsRefusedWithItsReason) {
  weir_solver_t* none = nullptr;
  EXPECT_EQ(weir_create("method = \"gmress\"", &none), WEIR_BAD_INPUT);
  EXPECT_EQ(none, nullptr);
  EXPECT_NE(std::string(weir_error(nullptr)).find("gmress"), std::string::npos);
  EXPECT_EQ(weir_create("tolerence = 1e-3", &none), WEIR_BAD_INPUT);
  EXPECT_NE(std::string(weir_error(nullptr)).find("tolerance"), std::string::npos) << weir_error(nullptr);
  EXPECT_EQ(weir_create("= =", &none), WEIR_BAD_INPUT);
  EXPECT_EQ(weir_create("", nullptr), WEIR_BAD_INPUT);
  weir_destroy(nullptr);

  Solver s(gmres);
  std::vector<double> b(16, 1.0), x(16);
  EXPECT_EQ(weir_solve(s.handle, b.data(), x.data(), nullptr), WEIR_BAD_INPUT);
  EXPECT_EQ(weir_solve(nullptr, b.data(), x.data(), nullptr), WEIR_BAD_INPUT);
  EXPECT_EQ(weir_update(s.handle, b.data()), WEIR_BAD_INPUT);
  EXPECT_EQ(weir_setup(s.handle, nullptr), WEIR_BAD_INPUT);

  const auto refused = [&](int code, const char* words, auto change) {
    System A(4, 1);
    weir_csr csr = A.csr();
    change(A, csr);
    EXPECT_EQ(weir_setup(s.handle, &csr), code) << words;
    EXPECT_NE(s.error().find(words), std::string::npos) << s.error();
  };
  refused(WEIR_BAD_INPUT, "bytes", [](System&, weir_csr& csr) { csr.bytes = 0; });
  refused(WEIR_BAD_INPUT, "rows is -1", [](System&, weir_csr& csr) { csr.rows = -1; });
  refused(WEIR_BAD_INPUT, "block is 65", [](System&, weir_csr& csr) { csr.block = 65; });
  refused(WEIR_BAD_INPUT, "row_start_bits is 16", [](System&, weir_csr& csr) { csr.row_start_bits = 16; });
  refused(WEIR_BAD_INPUT, "null pointer", [](System&, weir_csr& csr) { csr.column = nullptr; });
  refused(WEIR_BAD_INPUT, "row_start[0]", [](System& A, weir_csr&) { A.start[0] = 1; });
  refused(WEIR_BAD_INPUT, "row_start decreases at row 1", [](System& A, weir_csr&) { A.start[2] = 0; });
  refused(WEIR_BAD_INPUT, "column 99 in row 0", [](System& A, weir_csr&) { A.column[2] = 99; });
  refused(WEIR_BAD_INPUT, "columns do not ascend", [](System& A, weir_csr&) { std::swap(A.column[0], A.column[1]); });
  refused(WEIR_BAD_INPUT, "duplicate column", [](System& A, weir_csr&) { A.column[1] = A.column[0]; });
  refused(WEIR_NOT_FINITE, "value[3]", [](System& A, weir_csr&) { A.value[3] = std::nan(""); });
  refused(WEIR_SOLVER_FAILED, "", [](System& A, weir_csr&) { std::fill(A.value.begin(), A.value.end(), 0.0); });

  const System A(4, 1);
  const weir_csr csr = A.csr();
  ASSERT_EQ(weir_setup(s.handle, &csr), WEIR_OK) << s.error();
  EXPECT_EQ(weir_solve(s.handle, nullptr, x.data(), nullptr), WEIR_BAD_INPUT);
  b[5] = std::numeric_limits<double>::infinity();
  weir_result result{};
  result.bytes = sizeof result;
  const int code = weir_solve(s.handle, b.data(), x.data(), &result);
  EXPECT_TRUE(code == WEIR_NOT_FINITE || (code == WEIR_OK && result.reason == WEIR_DIVERGED)) << code;
}

TEST(CInterface, ADestroyedSolverIsRefused) {
  weir_solver_t *s = nullptr, *later = nullptr;
  ASSERT_EQ(weir_create("", &s), WEIR_OK);
  weir_destroy(s);
  ASSERT_EQ(weir_create("", &later), WEIR_OK);
  EXPECT_NE(s, later);
  const System A(4, 1);
  const weir_csr csr = A.csr();
  std::vector<double> b(16, 1.0), x(16);
  const double* norms = nullptr;
  std::int32_t count = 0;
  EXPECT_EQ(weir_setup(s, &csr), WEIR_BAD_INPUT);
  EXPECT_NE(std::string(weir_error(s)).find("destroyed"), std::string::npos) << weir_error(s);
  EXPECT_EQ(weir_solve(s, b.data(), x.data(), nullptr), WEIR_BAD_INPUT);
  EXPECT_EQ(weir_apply(s, b.data(), x.data()), WEIR_BAD_INPUT);
  EXPECT_EQ(weir_history(s, &norms, &count), WEIR_BAD_INPUT);
  EXPECT_EQ(weir_cancel(s), WEIR_BAD_INPUT);
  EXPECT_EQ(std::string(weir_describe(s)), "");
  weir_destroy(s);
  int never = 0;
  EXPECT_EQ(weir_set_threads(reinterpret_cast<weir_solver_t*>(&never), 1), WEIR_BAD_INPUT);
  EXPECT_EQ(weir_setup(later, &csr), WEIR_OK) << weir_error(later);
  weir_destroy(later);
}

struct Inner {
  weir_solver_t* solver;
  int code;
};

// As by a second thread: the operator calls the solver that calls it.
TEST(CInterface, ASolverInUseIsRefused) {
  Solver s("method = \"cg\"\npreconditioner = { type = \"none\" }");
  Inner inner{s.handle, WEIR_OK};
  const auto nested = [](void* context, const double* from, double* to) {
    auto& of = *static_cast<Inner*>(context);
    of.code = weir_apply(of.solver, from, to);
    std::copy(from, from + 9, to);
    return 0;
  };
  ASSERT_EQ(weir_setup_operator(s.handle, 9, WEIR_SYMMETRIC, nested, &inner, nullptr), WEIR_OK) << s.error();
  std::vector<double> b(9, 1.0), x(9);
  ASSERT_EQ(weir_solve(s.handle, b.data(), x.data(), nullptr), WEIR_OK) << s.error();
  EXPECT_EQ(inner.code, WEIR_BAD_INPUT);
  EXPECT_NE(s.error().find("has not ended"), std::string::npos) << s.error();
  EXPECT_LT(distance(x, b), 1e-12);
  EXPECT_EQ(weir_apply(s.handle, b.data(), x.data()), WEIR_OK);
}

int zero_operator(void*, const double*, double*) { return 1; }

// Calls in any order with any argument that a C function can check: an error with a message, or a result.
TEST(CInterface, BadInputNeverEndsTheProcess) {
  std::mt19937 random(47);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const char* const options[] = {"",
                                 "method = \"gmres\"\nmax_iterations = 20",
                                 "method = \"cg\"\npreconditioner = { type = \"none\" }",
                                 "method = \"bicgstab\"\npreconditioner = { type = \"parilu\" }",
                                 "method = \"gmres\"\nrefresh = \"every:3\"\npreconditioner = { type = \"sgs\" }",
                                 "method = \"multicolor\"",
                                 "method = \"fast_poisson\"",
                                 "method = 3",
                                 "preconditioner = \"sgs\"",
                                 "tolerance = \"small\"",
                                 "tolerance = -1",
                                 "[a",
                                 "\xff\xfe"};
  const double special[] = {0, -1, 1e-300, 1e300, std::nan(""), std::numeric_limits<double>::infinity()};
  int solved = 0, refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    weir_solver_t* s = nullptr;
    const int made = weir_create(options[below(static_cast<int>(std::size(options)))], below(50) ? &s : nullptr);
    EXPECT_EQ(made == WEIR_OK, s != nullptr);
    weir_set_threads(s, 1);
    for (int call = 0; call < 6; ++call) {
      if (below(60) == 0) weir_destroy(s);
      System A(1 + below(5), 1 + below(3), static_cast<unsigned>(trial));
      weir_csr csr = A.csr();
      std::vector<std::int32_t> short_start(A.start.begin(), A.start.end());
      if (below(3) == 0) csr.row_start = short_start.data(), csr.row_start_bits = 32;
      const int change = below(24), at = below(static_cast<int>(A.column.size())), row = below(A.rows + 1);
      if (change == 0) csr.bytes = random() % 100;
      if (change == 1) csr.flags = random() & ~WEIR_ON_DEVICE;
      if (change == 2) csr.rows = below(A.rows + 2) - 1;
      if (change == 3) csr.block = std::array{0, -1, 65, 1}[below(4)];
      if (change == 4) csr.row_start_bits = below(70) == 64 ? 0 : 31;
      if (change == 5) csr.row_start = nullptr;
      if (change == 6) csr.column = nullptr;
      if (change == 7) csr.value = nullptr;
      if (change == 8) A.column[at] = static_cast<int>(random());
      if (change == 9) A.column[at] = below(A.rows);
      if (change == 10) A.value[at] = special[below(6)];
      if (change == 11 && row < A.rows)
        A.start[row] = short_start[row] = below(static_cast<int>(A.column.size()) + 1) - 1;
      if (change == 12) A.start[A.rows] = short_start[A.rows] = below(static_cast<int>(A.column.size()) + 1);
      if (change == 13) std::fill(A.value.begin(), A.value.end(), special[below(4)]);
      if (change == 1 && csr.flags & WEIR_BORROW) csr.flags &= ~WEIR_BORROW;  // A ends before the solver
      const int n = A.size(), k = 1 + below(3);
      std::vector<double> b = random_vector(3 * (n + 80), 1), x(b.size());
      if (below(8) == 0) b[below(n)] = special[below(6)];
      weir_result results[5]{};  // room for three of up to 99 bytes
      results[0].bytes = below(8) ? sizeof(weir_result) : random() % 100;
      const double* rhs = below(12) ? b.data() : nullptr;
      int code = WEIR_OK;
      switch (below(8)) {
        case 0:
        case 1:
        case 2:
          code = weir_setup(s, below(20) ? &csr : nullptr);
          if (code != WEIR_OK || below(4) == 0) break;
          code = weir_solve(s, rhs, x.data(), results);
          solved += code == WEIR_OK;
          break;
        case 3:
          code = weir_setup(s, &csr);
          if (code == WEIR_OK) code = weir_update(s, below(8) ? A.value.data() : nullptr);
          break;
        case 4:
          code = weir_setup(s, &csr);
          if (code == WEIR_OK) code = weir_solve_many(s, k - below(2), rhs, n + below(3) - 1, x.data(), n, results);
          break;
        case 5:
          code = weir_setup(s, &csr);
          if (code == WEIR_OK)
            code = below(2) ? weir_solve_transposed(s, rhs, x.data(), nullptr) : weir_apply(s, rhs, x.data());
          break;
        case 6:
          code = weir_set_threads(s, below(10) - 3);
          break;
        default:
          code = weir_setup_operator(s, below(40) - 2, 0, below(4) ? zero_operator : nullptr, nullptr,
                                     below(2) ? &csr : nullptr);
      }
      if (code == WEIR_OK) continue;
      ++refused;
      EXPECT_TRUE(code >= WEIR_INTERNAL && code <= WEIR_NO_DEVICE) << code;
      EXPECT_NE(code, WEIR_INTERNAL) << weir_error(s);
      EXPECT_NE(std::string(weir_error(s)), "");
    }
    weir_destroy(s);
  }
  EXPECT_GT(solved, 300);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace weir::test::c
