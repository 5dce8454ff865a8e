// 2. A matrix-free operator: -div(k grad u) = f on the unit square with u = 0 on its sides, finite volumes on n x n
// cells. Conjugate gradients need products only. The preconditioner is geometric multigrid for the Laplacian (k = 1),
// so the number of iterations depends on k but not on n.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <weir/solvers/krylov/krylov.hpp>
#include <weir/solvers/matrix/stencil/separable_stencil.hpp>

using weir::Array, weir::Host, weir::View;

double k_of(double x) { return 1 + x; }
double exact(double x, double y) { return x * (1 - x) * y * (1 - y); }
double f_of(double x, double y) {  // - div(k grad exact)
  return 2 * k_of(x) * (x * (1 - x) + y * (1 - y)) - (1 - 2 * x) * y * (1 - y);
}

// Rows are multiplied by the cell volume, which makes the operator symmetric.
class Diffusion : public weir::Matrix<Host> {
 public:
  explicit Diffusion(int n) : n_(n), h_(1.0 / n) {}
  int rows() const override { return n_ * n_; }
  bool is_symmetric() const override { return true; }  // required by cg
  void apply(View<const double> u, View<double> y) const override {
    weir::for_each<Host>(weir::Extents{n_, n_, 1},
                         [=, this](int i, int j, int) { y[j * n_ + i] = row(u, i, j); });  // on all threads
  }
  void residual(View<const double> b, View<const double> u, View<double> r) const override {
    weir::for_each<Host>(weir::Extents{n_, n_, 1},
                         [=, this](int i, int j, int) { r[j * n_ + i] = b[j * n_ + i] - row(u, i, j); });
  }
  void block_diagonal(int first, View<double> d) const override {  // for jacobi
    for (int at = 0; at < d.size(); ++at) {
      const int c = first + at;
      d[at] = 0;
      for (int side = 0; side < 4; ++side) d[at] += coupling(c % n_, c / n_, side);
    }
  }
  weir::Work apply_work() const override { return {16 * rows(), 12 * rows()}; }  // bytes, flops: for statistics

 private:
  // k at a face (west, east, south, north); the distance to a wall is half a cell.
  double coupling(int i, int j, int side) const {
    const bool wall =
        (side == 0 && i == 0) || (side == 1 && i == n_ - 1) || (side == 2 && j == 0) || (side == 3 && j == n_ - 1);
    return (wall ? 2 : 1) * k_of((side == 0 ? i : side == 1 ? i + 1 : i + 0.5) * h_);
  }
  double row(View<const double> u, int i, int j) const {
    const int c = j * n_ + i;
    const double neighbour[] = {i > 0 ? u[c - 1] : 0, i < n_ - 1 ? u[c + 1] : 0, j > 0 ? u[c - n_] : 0,
                                j < n_ - 1 ? u[c + n_] : 0};
    double sum = 0;
    for (int side = 0; side < 4; ++side) sum += coupling(i, j, side) * (u[c] - neighbour[side]);
    return sum;
  }
  int n_;
  double h_;
};

// The Laplacian on the same grid as a sum of 1D operators, which multigrid can coarsen.
weir::SeparableOperator laplacian(int n) {
  std::vector<double> faces(n + 1);
  for (int i = 0; i <= n; ++i) faces[i] = double(i) / n;
  const auto wall = weir::EndCondition::dirichlet, none = weir::EndCondition::neumann;
  const weir::SeparableDirection side = weir::cell_centred_direction(faces, wall, wall);
  return {{side, side, weir::cell_centred_direction({0, 1}, none, none)}};  // one cell in z: two dimensions
}

int main() {
  for (int n : {64, 128, 256}) {
    const Diffusion A(n);
    const weir::SeparableStencil<Host> near_A(laplacian(n));
    Array<double, Host> b(A.size()), u(A.size());
    for (int c = 0; c < A.size(); ++c) b.data()[c] = f_of((c % n + 0.5) / n, (c / n + 0.5) / n) / (n * n);

    const auto M = weir::make_preconditioner<Host>("multigrid", weir::Table());  // the empty table: default options
    M->setup(near_A);
    const auto cg = weir::make_krylov<Host>("cg", {.tolerance = 1e-10});
    const weir::SolveResult result = cg->solve(A, *M, b, u);

    double error = 0;
    for (int c = 0; c < A.size(); ++c)
      error = std::max(error, std::abs(u.data()[c] - exact((c % n + 0.5) / n, (c / n + 0.5) / n)));
    std::printf("%3d x %3d cells: %s after %d iterations in %.3f s, largest error %.2e\n", n, n,
                weir::to_string(result.reason), result.iterations, result.solve_seconds, error);
    if (!result.converged()) return 1;
  }
}
