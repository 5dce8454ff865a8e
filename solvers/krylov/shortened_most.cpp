// Singular vectors of the smallest singular values by inverse iteration with R^T R on a block of vectors, to the
// accuracy that the spanned space needs.
#include <algorithm>
#include <cmath>

#include "solvers/krylov/shortened_most.hpp"

namespace weir {
namespace {

constexpr int passes = 8;
constexpr double singular = 1e-14;  // diagonal of R, relative to the largest

double dot_of(const double* x, const double* y, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i] * y[i];
  return s;
}

// A = Q R by modified Gram-Schmidt done twice, Q stored in A; false if the columns of A are dependent.
bool orthonormalise(Columns& A, Columns& R) {
  R.shape(A.count, A.count);
  double largest = 0;
  for (int j = 0; j < A.count; ++j) {
    double *a = A.column(j), *r = R.column(j);
    for (int pass = 0; pass < 2; ++pass)
      for (int i = 0; i < j; ++i) {
        const double* q = A.column(i);
        const double h = dot_of(q, a, A.rows);
        for (int k = 0; k < A.rows; ++k) a[k] -= h * q[k];
        r[i] += h;
      }
    r[j] = std::sqrt(dot_of(a, a, A.rows));
    largest = std::max(largest, r[j]);
    if (!(r[j] > singular * largest) || !std::isfinite(r[j])) return false;
    for (int k = 0; k < A.rows; ++k) a[k] /= r[j];
  }
  return true;
}

void solve_upper(const Columns& R, double* x) {
  for (int i = R.count - 1; i >= 0; --i) {
    x[i] /= R.column(i)[i];
    for (int k = 0; k < i; ++k) x[k] -= R.column(i)[k] * x[i];
  }
}
void solve_upper_transposed(const Columns& R, double* x) {
  for (int i = 0; i < R.count; ++i) x[i] = (x[i] - dot_of(R.column(i), x, i)) / R.column(i)[i];
}

}  // namespace

int shortened_most(const Columns& G, int wanted, ShorteningWork& work, Columns& P, Columns& Q) {
  const int n = G.count, k = std::min(wanted, n);
  work.Q = G;
  if (!orthonormalise(work.Q, work.R)) return 0;
  P.shape(n, k);
  unsigned scatter = 1;
  for (double& p : P.a) {
    scatter = scatter * 1664525u + 1013904223u;
    p = static_cast<double>(scatter >> 8) / (1 << 24) - 0.5;
  }
  for (int pass = 0; pass < passes; ++pass) {
    for (int j = 0; j < k; ++j) {
      solve_upper_transposed(work.R, P.column(j));
      solve_upper(work.R, P.column(j));
    }
    if (!orthonormalise(P, work.X)) return 0;
  }
  Q.shape(G.rows, k);
  for (int j = 0; j < k; ++j)
    for (int i = 0; i < n; ++i)
      for (int r = 0; r < G.rows; ++r) Q.column(j)[r] += G.column(i)[r] * P.column(j)[i];
  if (!orthonormalise(Q, work.X)) return 0;
  // P X^-1, column by column
  for (int j = 0; j < k; ++j) {
    double* p = P.column(j);
    for (int i = 0; i < j; ++i)
      for (int r = 0; r < n; ++r) p[r] -= work.X.column(j)[i] * P.column(i)[r];
    for (int r = 0; r < n; ++r) p[r] /= work.X.column(j)[j];
  }
  return k;
}

}  // namespace weir
