// Matrix products and eigenvectors of fast_poisson, products and inverses of blocks, against their definitions.
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "solvers/device/array.hpp"
#include "solvers/device/gemm.hpp"
#include "solvers/matrix/block/block_dense.hpp"
#include "solvers/preconditioner/fast_poisson/fast_poisson_modes.hpp"
#include "tests/support/systems/dense.hpp"

namespace weir::test::dense_algebra_test {
namespace {

// Column-major m x k times k x n.
Numbers product(int m, int n, int k, const Numbers& A, const Numbers& B) {
  Numbers C(at(m * n), 0.0);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      for (int p = 0; p < k; ++p) C[at(i + j * m)] += A[at(i + p * m)] * B[at(p + j * k)];
  return C;
}

// Entries below 1, k terms each: k rounding errors of at most k.
double tolerance(int k) { return k * k * eps; }

TEST(Gemm, EqualsTheDefinitionForAllShapes) {
  for (const int m : {1, 2, 7, 8, 9, 24, 31, 65})
    for (const int n : {1, 2, 3, 8, 13, 29})
      for (const int k : {1, 5, 32}) {
        const Numbers A = random_numbers(m * k, 1), B = random_numbers(k * n, 2);
        Numbers C(at(m * n), NAN);
        gemm_host(m, n, k, {A.data(), m}, {B.data(), k}, {C.data(), m});
        EXPECT_LE(max_difference(C, product(m, n, k, A, B)), tolerance(k)) << m << " " << n << " " << k;
      }
}

TEST(Gemm, WritesNothingBesideItsResult) {
  const int m = 11, n = 5, k = 4, ld = 13;
  const Numbers A = random_numbers(m * k, 1), B = random_numbers(k * n, 2);
  Numbers C(at(ld * n), 7.0);
  gemm_host(m, n, k, {A.data(), m}, {B.data(), k}, {C.data(), ld});
  for (int j = 0; j < n; ++j)
    for (int i = m; i < ld; ++i) EXPECT_EQ(C[at(i + j * ld)], 7.0);
}

// cuBLAS on a GPU that has it, and the kernel for machines without; in both more than one tile in each direction.
void expect_batches(void multiply(const GemmBatch&)) {
  const int m = 35, n = 18, k = 37, count = 3;
  const Numbers A = random_numbers(count * m * k, 1), B = random_numbers(k * n, 2);
  const Array<double, Device> a(A), b(B);
  Array<double, Device> c(count * m * n);
  multiply({m, n, k, {a.data(), m}, {b.data(), k}, {c.data(), m}, count, m * k, 0, m * n});
  const Numbers C = c.to_vector();
  for (int s = 0; s < count; ++s) {
    const Numbers As(A.begin() + s * m * k, A.begin() + (s + 1) * m * k);
    const Numbers Cs(C.begin() + s * m * n, C.begin() + (s + 1) * m * n);
    EXPECT_LE(max_difference(Cs, product(m, n, k, As, B)), tolerance(k));
  }
}
TEST(Gemm, MultipliesBatchesOnTheDevice) { expect_batches(gemm_device); }
TEST(Gemm, MultipliesBatchesOnADeviceWithoutCublas) { expect_batches(gemm_device_plain); }

// |A v - lambda v| and |V^T V - 1| within n eps |A|, ascending eigenvalues.
void expect_eigenvectors(const Dense& A, const Eigen1D& e) {
  const int n = A.n;
  const double bound = 4 * n * eps;
  for (int m = 0; m < n; ++m) {
    const Numbers v(e.vector.begin() + m * n, e.vector.begin() + (m + 1) * n);
    Numbers Av = A * v;
    for (int i = 0; i < n; ++i) Av[at(i)] -= e.value[at(m)] * v[at(i)];
    EXPECT_LE(max_norm(Av), bound * A.max_norm());
    for (int l = 0; l <= m; ++l) {
      const Numbers u(e.vector.begin() + l * n, e.vector.begin() + (l + 1) * n);
      EXPECT_NEAR(dot(u, v), l == m ? 1 : 0, bound);
    }
    if (m > 0) {
      EXPECT_LE(e.value[at(m - 1)], e.value[at(m)]);
    }
  }
}

TEST(SymmetricEigen, DiagonalisesTridiagonalMatrices) {
  for (const int n : {1, 2, 3, 17, 60})
    for (const double grading : {1.0, 1.3}) {  // entries over many orders of magnitude, as on stretched lines
      Numbers d = random_numbers(n, 1), e = random_numbers(n, 2);
      e.pop_back();
      for (int i = 0; i < n; ++i) {
        d[at(i)] *= std::pow(grading, i);
        if (i + 1 < n) e[at(i)] *= std::pow(grading, i);
      }
      Dense A(n);
      for (int i = 0; i < n; ++i) {
        A(i, i) = d[at(i)];
        if (i + 1 < n) A(i, i + 1) = A(i + 1, i) = e[at(i)];
      }
      expect_eigenvectors(A, tridiagonal_eigen(d, e));
    }
}

TEST(SymmetricEigen, DiagonalisesDenseMatrices) {
  for (const int n : {1, 2, 3, 4, 25}) {
    Dense A(n);
    const Numbers r = random_numbers(n * n, 3);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) A(i, j) = r[at(std::min(i, j) * n + std::max(i, j))];
    expect_eigenvectors(A, dense_eigen(A.a, n));
  }
}

TEST(SymmetricEigen, TakesMatricesThatAreDiagonalAlready) {
  expect_eigenvectors(mass_matrix({{3, 1, 2, 0}, {}, {}, {}, false}), tridiagonal_eigen({3, 1, 2, 0}, {0, 0, 0}));
}

// Blocks larger than 8, whose size is known at run time only: every size, and nothing written after them.
TEST(DenseBlock, ProductsEqualTheDefinition) {
  for (int n = 1; n <= lanes::max_block; ++n) {
    const Numbers A = random_numbers(n * n, 1), B = random_numbers(n * n, 2), C = random_numbers(n * n, 3);
    std::vector<float> rounded(B.begin(), B.end());
    const Numbers wide(rounded.begin(), rounded.end());
    Numbers set(at(n * n + 8), 7.0), subtracted = C, set_float(at(n * n)), expected = product(n, n, n, A, B);
    subtracted.resize(at(n * n + 8), 7.0);
    const lanes::RuntimeBlock b(n);
    lanes::product<false>(b, set.data(), A.data(), B.data());
    lanes::product<true>(b, subtracted.data(), A.data(), B.data());
    lanes::product<false>(b, set_float.data(), A.data(), rounded.data());
    for (int i = n * n; i < n * n + 8; ++i) {
      EXPECT_EQ(set[at(i)], 7.0) << n;
      EXPECT_EQ(subtracted[at(i)], 7.0) << n;
    }
    set.resize(at(n * n));
    subtracted.resize(at(n * n));
    EXPECT_LE(max_difference(set, expected), tolerance(n)) << n;
    EXPECT_LE(max_difference(set_float, product(n, n, n, A, wide)), tolerance(n)) << n;
    for (int i = 0; i < n * n; ++i) expected[at(i)] = C[at(i)] - expected[at(i)];
    EXPECT_LE(max_difference(subtracted, expected), tolerance(n + 1)) << n;
  }
}

TEST(DenseBlock, InversesAreInverses) {
  for (int n = 1; n <= lanes::max_block; ++n) {
    Numbers A = random_numbers(n * n, 1), one(at(n * n), 0.0);
    for (int i = 0; i < n; ++i) {
      A[at(i * n + i)] += n;  // dominant: the inverse is of size 1 / n
      one[at(i * n + i)] = 1;
    }
    Numbers inverse = A, pivoted = A;
    EXPECT_TRUE(lanes::invert(lanes::RuntimeBlock(n), inverse.data())) << n;
    EXPECT_LE(max_difference(product(n, n, n, A, inverse), one), tolerance(n + 1)) << n;
    if (n == 1) continue;
    for (int v = 0; v < n; ++v) std::swap(A[at(v * n)], A[at(v * n + n - 1)]);  // now only pivoting will do
    A[0] = 0;
    pivoted = A;
    EXPECT_TRUE(lanes::invert_pivoting(n, pivoted.data())) << n;
    EXPECT_LE(max_difference(product(n, n, n, A, pivoted), one), 10 * tolerance(n + 1)) << n;
    EXPECT_FALSE(lanes::invert(lanes::RuntimeBlock(n), A.data())) << n;
    Numbers singular(at(n * n), 1.0);
    EXPECT_FALSE(lanes::invert_pivoting(n, singular.data())) << n;
  }
}

}  // namespace
}  // namespace weir::test::dense_algebra_test
