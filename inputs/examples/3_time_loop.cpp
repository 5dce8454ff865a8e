// 3. An implicit time loop with a matrix that changes every step: u_t = (1 + t) div(grad u) + s on the unit square.
// The reference solver's preconditioner is rebuilt only when that pays (`refresh`). A candidate solves the same
// systems from the same initial guesses, and the two are compared. (For studies with confidence intervals, write the
// systems of your loop with weir_capture.h and run `weir replay`.)
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <weir/inputs/case.hpp>
#include <weir/solvers/matrix/block/block_csr.hpp>
#include <weir/solvers/studied_solver.hpp>

using weir::Array, weir::Host, weir::View;
using Solver = weir::StudiedSolver<Host>;

constexpr int n = 128, steps = 40, size = n * n;
constexpr double h = 1.0 / n, dt = 0.0025;

// Observes every system of the reference solver; the flow is not affected.
class Shadow : public weir::SolveWatch<Host> {
 public:
  explicit Shadow(Solver& candidate) : candidate_(candidate), x_(size) {}
  void prepared(const weir::Matrix<Host>& A, bool new_pattern, const weir::SetupInfo& leader) override {
    new_pattern ? candidate_.setup(A) : candidate_.update(A);
    seconds[0] += leader.seconds, seconds[1] += candidate_.setup_info().seconds;  // 0 if kept
  }
  void before(const weir::Matrix<Host>&, View<const double>, View<const double> x) override {
    std::copy(x.data(), x.data() + size, x_.data());
  }
  void after(const weir::Matrix<Host>& A, View<const double> b, View<const double>,
             const weir::SolveResult& leader) override {
    const weir::SolveResult own = candidate_.solve(A, b, x_);
    seconds[0] += leader.solve_seconds, seconds[1] += own.solve_seconds;
    iterations[0] += leader.iterations, iterations[1] += own.iterations;
    failures[0] += !leader.converged(), failures[1] += !own.converged();
  }
  double seconds[2] = {};
  int iterations[2] = {}, failures[2] = {};

 private:
  Solver& candidate_;
  Array<double, Host> x_;
};

double middle(int i) { return (i + 0.5) * h; }
double exact(int c, double t) {  // in cell c: exp(-t) x (1 - x) y (1 - y)
  const double x = middle(c % n), y = middle(c / n);
  return std::exp(-t) * x * (1 - x) * y * (1 - y);
}
double source(int c, double t) {  // source for the exact solution
  const double x = middle(c % n), y = middle(c / n);
  return 2 * (1 + t) * std::exp(-t) * (x * (1 - x) + y * (1 - y)) - exact(c, t);
}

// Finite volumes of 1 / dt - (1 + t) div grad, u = 0 on the sides; columns ascend within a row.
weir::BlockCsrData assemble(double t) {
  weir::BlockCsrData A;
  A.symmetric = true;
  A.row_start = {0};
  for (int c = 0; c < size; ++c) {
    const int i = c % n, j = c / n, walls = (i == 0) + (i == n - 1) + (j == 0) + (j == n - 1);  // distance h / 2
    const auto add = [&](bool inside, int column, double value) {
      if (inside) A.column.push_back(column), A.value.push_back(value);
    };
    add(j > 0, c - n, -1 - t);
    add(i > 0, c - 1, -1 - t);
    add(true, c, h * h / dt + (1 + t) * (4 + walls));
    add(i < n - 1, c + 1, -1 - t);
    add(j < n - 1, c + n, -1 - t);
    A.row_start.push_back(static_cast<std::int64_t>(A.value.size()));
  }
  return A;
}

Solver solver_of(const std::string& text) { return Solver(weir::read_case_text("tolerance = 1e-8\n" + text, "here")); }

int main() {
  Solver leader = solver_of(R"(method = "cg"
refresh = "adaptive"    # or "always", "every:K"
preconditioner = { type = "block_ilu0" })");
  Solver candidate = solver_of("method = \"cg\"\npreconditioner = { type = \"sgs\" }");
  Shadow shadow(candidate);
  leader.watch(&shadow);

  Array<double, Host> u(size), b(size);
  for (int c = 0; c < size; ++c) u.data()[c] = exact(c, 0);
  weir::BlockCsr<Host> A(assemble(dt));
  for (int step = 1; step <= steps; ++step) {
    const double t = step * dt;
    for (int c = 0; c < size; ++c) b.data()[c] = h * h * (u.data()[c] / dt + source(c, t));
    if (step > 1) A.update(assemble(t).value);
    step == 1 ? leader.setup(A) : leader.update(A);
    if (!leader.solve(A, b, u).converged()) return 1;  // initial guess: the previous step
  }

  double error = 0;
  for (int c = 0; c < size; ++c) error = std::max(error, std::abs(u.data()[c] - exact(c, steps * dt)));
  std::printf("%d steps, largest error %.2e, preconditioner rebuilt %d times\n", steps, error,
              leader.refresh_policy().updates());
  for (int s : {0, 1})
    std::printf("%-10s %-16s %5d iterations %8.4f s, %d failures\n", s ? "candidate" : "reference",
                (s ? candidate : leader).name().c_str(), shadow.iterations[s], shadow.seconds[s], shadow.failures[s]);
}
