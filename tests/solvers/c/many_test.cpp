// Several right-hand sides at once, and borrowed matrices.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/solvers/c/system.hpp"

namespace weir::test::c {
namespace {

// Three solves in one pass over the matrix have the bits of three single ones.
TEST(CInterface, ManyRightHandSidesAreSolvedLikeEachAlone) {
  for (const int block : {1, 3})
    for (const char* method : {"cg", "bicgstab", "bicgstab_l", "gmres", "fgmres", "idrs"})
      for (const char* type : {"none", "jacobi", "block_ilu0"}) {
        System A(40, block);
        if (method == std::string("cg"))  // symmetric
          for (std::size_t e = 0; e < A.value.size(); ++e) A.value[e] = e % (block * block) % (block + 1) ? 0 : -1;
        for (int i = 0; i < A.rows && method == std::string("cg"); ++i)
          for (std::int64_t e = A.start[i]; e < A.start[i + 1]; ++e)
            for (int r = 0; r < block && A.column[e] == i; ++r) A.value[(e * block + r) * block + r] = 4.2;
        Solver s("method = \"" + std::string(method) + "\"\ntolerance = 1e-9\npreconditioner = { type = \"" + type +
                 "\" }");
        const weir_csr csr = A.csr();
        ASSERT_EQ(weir_setup(s.handle, &csr), WEIR_OK) << method << type << s.error();
        const int n = A.size();
        const std::vector<double> b = random_vector(3 * n, 4);
        std::vector<double> together(3 * n), alone(3 * n);
        std::vector<weir_result> results(3);
        results[0].bytes = sizeof(weir_result);
        ASSERT_EQ(weir_solve_many(s.handle, 3, b.data(), n, together.data(), n, results.data()), WEIR_OK) << s.error();
        for (int j = 0; j < 3; ++j) {
          weir_result one{};
          one.bytes = sizeof one;
          ASSERT_EQ(weir_solve(s.handle, b.data() + j * n, alone.data() + j * n, &one), WEIR_OK) << s.error();
          EXPECT_EQ(one.iterations, results[j].iterations) << method << type << block;
          EXPECT_EQ(one.residual, results[j].residual) << method << type << block;
        }
        EXPECT_EQ(together, alone) << method << type << block;
      }
}

TEST(CInterface, ABorrowedMatrixIsTheCallersArrays) {
  System A(20, 2);
  Solver s(gmres), copied(gmres);
  weir_csr csr = A.csr();
  ASSERT_EQ(weir_setup(copied.handle, &csr), WEIR_OK);
  csr.flags = WEIR_BORROW;
  ASSERT_EQ(weir_setup(s.handle, &csr), WEIR_OK) << s.error();
  const std::vector<double> b = random_vector(A.size(), 3);
  for (int pass = 0; pass < 2; ++pass) {
    std::vector<double> x(b.size()), y(b.size());
    ASSERT_EQ(weir_solve(s.handle, b.data(), x.data(), nullptr), WEIR_OK);
    ASSERT_EQ(weir_solve(copied.handle, b.data(), y.data(), nullptr), WEIR_OK);
    EXPECT_EQ(x, y);
    ASSERT_EQ(weir_solve_transposed(s.handle, b.data(), x.data(), nullptr), WEIR_OK) << s.error();
    EXPECT_LT(distance(A.product(x, true), b), 1e-9);
    for (double& v : A.value) v *= 1.5;
    ASSERT_EQ(weir_update(s.handle, A.value.data()), WEIR_OK) << s.error();
    ASSERT_EQ(weir_update(copied.handle, A.value.data()), WEIR_OK);
  }
  const std::vector<double> other = A.value;
  EXPECT_EQ(weir_update(s.handle, other.data()), WEIR_BAD_INPUT);
  csr.flags |= WEIR_ONE_BASED;
  EXPECT_NE(weir_setup(s.handle, &csr), WEIR_OK);
}

}  // namespace
}  // namespace weir::test::c
