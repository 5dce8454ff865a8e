// Solvers of several kinds, made, used in every way and destroyed 10,000 times: no memory is left behind. The leak
// checker of the preset asan knows more than the heap's size; in the gate it sees a tenth, in c_interface.Lives all.
#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/solvers/c/system.hpp"

namespace weir::test::c {
namespace {

const std::string selects =
    gmres +
    "\n[select]\nsolvers = [\"other\", \"none\"]\nevery = 1\nbudget = 1e9\n[select.other]\nmethod = \"bicgstab\"\n"
    "[select.none]\nmax_iterations = 1\npreconditioner = { type = \"none\" }\n";
const std::array<std::string, 4> options = {gmres, selects,
                                            "method = \"bicgstab\"\npreconditioner = { type = \"parilu\" }",
                                            "method = \"gmres\"\nrefresh = \"every:2\"\ninitial_guess = "
                                            "\"projection:2\"\npreconditioner = { type = \"jacobi\" }"};

int doubled(void* size, const double* x, double* y) {
  for (int i = 0; i < *static_cast<int*>(size); ++i) y[i] = 2 * x[i];
  return 0;
}

// Lives first, first + 1, ..., first + count - 1.
void live(int first, int count) {
  const System A(4, 2);
  int n = A.size();
  std::vector<double> b(3 * n, 1.0), x(3 * n);
  for (int i = first; i < first + count; ++i) {
    Solver s(options[i % options.size()]);
    weir_set_threads(s.handle, 1);
    weir_csr csr = A.csr();
    csr.flags |= i % 3 == 0 ? WEIR_BORROW : 0;
    ASSERT_EQ(weir_setup(s.handle, &csr), WEIR_OK) << s.error();
    ASSERT_EQ(weir_solve(s.handle, b.data(), x.data(), nullptr), WEIR_OK) << s.error();
    if (i % 5 == 0) {
      ASSERT_EQ(weir_update(s.handle, A.value.data()), WEIR_OK) << s.error();
      ASSERT_EQ(weir_solve_many(s.handle, 3, b.data(), n, x.data(), n, nullptr), WEIR_OK) << s.error();
    }
    if (i % 7 == 0) {
      ASSERT_EQ(weir_solve_transposed(s.handle, b.data(), x.data(), nullptr), WEIR_OK) << s.error();
      ASSERT_EQ(weir_solve(s.handle, nullptr, x.data(), nullptr), WEIR_BAD_INPUT);
      ASSERT_EQ(weir_apply(s.handle, b.data(), x.data()), WEIR_OK) << s.error();
    }
    if (i % 11 == 0 && i % options.size() != 1) {  // [select] needs a matrix
      ASSERT_EQ(weir_setup_operator(s.handle, n, WEIR_SYMMETRIC, doubled, &n, &csr), WEIR_OK) << s.error();
      ASSERT_EQ(weir_solve(s.handle, b.data(), x.data(), nullptr), WEIR_OK) << s.error();
    }
  }
}

int lives() { return std::getenv("WEIR_ALL_LIVES") ? 10000 : WEIR_LIVES; }
double heap() { return static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd); }

TEST(Lives, OfASolver) {
  live(0, lives() / 10);
  const double after_first = heap();
  live(lives() / 10, lives() * 9 / 10);
  EXPECT_LT(heap(), after_first + 50000);
}

// Each thread has its own solver, of another kind than that of the other thread.
TEST(Lives, OfTwoSolversInTwoThreads) {
  mallopt(M_ARENA_MAX, 1);  // one heap for both, which mallinfo2 counts
  const auto live_in_two = [](int first, int count) {
    std::thread one([=] { live(first, count / 2); }), other([=] { live(first + 1, count / 2); });
    one.join();
    other.join();
  };
  live_in_two(0, lives() / 10);
  const double after_first = heap();
  live_in_two(lives() / 10, lives() * 9 / 10);
  EXPECT_LT(heap(), after_first + 50000);
}

}  // namespace
}  // namespace weir::test::c
