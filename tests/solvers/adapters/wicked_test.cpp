// A claim of convergence is true, whatever the matrix: wicked ones and random ones by every method with every
// preconditioner and by other libraries', each claim checked in extended precision. A refusal is one of the documented
// errors, and no limit of iterations is passed.
#include <cmath>
#include <random>

#include "base/at.hpp"
#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/adapters/any_solver.hpp"
#include "solvers/adapters/peer.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/registry.hpp"
#include "tests/support/systems/dense.hpp"

namespace weir::test::wicked_test {
namespace {

constexpr double tolerance = 1e-8;
constexpr int most_iterations = 100;

struct Wicked {
  std::string name;
  BlockCsrData A;
};

// value(i, j), zeros left out.
template <class Value>
Wicked matrix(const std::string& name, int n, const Value& value) {
  Wicked w{name, {}};
  w.A.block = 1;
  w.A.symmetric = true;
  w.A.row_start = {0};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (value(i, j) != value(j, i)) w.A.symmetric = false;
      if (value(i, j) == 0 && i != j) continue;
      w.A.column.push_back(j);
      w.A.value.push_back(value(i, j));
    }
    w.A.row_start.push_back(static_cast<std::int64_t>(w.A.column.size()));
  }
  return w;
}

double laplace(int i, int j) { return i == j ? 2 : std::abs(i - j) == 1 ? -1 : 0; }

std::vector<Wicked> wicked_ones() {
  constexpr int n = 30;
  std::vector<Wicked> all;
  for (const double size : {1e-310, 1e-200, 1e-160, 1.0, 1e160, 1e200, 5e307})
    all.push_back(matrix("laplace times " + std::to_string(std::log10(size)), n,
                         [size](int i, int j) { return size * laplace(i, j); }));
  all.push_back(matrix("zeros", 5, [](int, int) { return 0.0; }));
  all.push_back(matrix("one tiny", 1, [](int, int) { return 1e-200; }));
  all.push_back(matrix("one zero", 1, [](int, int) { return 0.0; }));
  all.push_back(matrix("two equal rows", 2, [](int, int) { return 1.0; }));
  all.push_back(matrix("all ones", 8, [](int, int) { return 1.0; }));
  all.push_back(matrix("constants as an undeclared null space", n,
                       [](int i, int j) { return i == j ? (i == 0 || i == n - 1 ? 1.0 : 2.0) : laplace(i, j); }));
  all.push_back(matrix("a row of zeros", n, [](int i, int j) { return i == 9 ? 0 : laplace(i, j); }));
  all.push_back(matrix("a column of zeros", n, [](int i, int j) { return j == 9 ? 0 : laplace(i, j); }));
  all.push_back(matrix("scaled from both sides", n, [](int i, int j) {
    return std::pow(10.0, 10.0 * (i - n / 2)) * laplace(i, j) * std::pow(10.0, 10.0 * (j - n / 2));
  }));
  all.push_back(
      matrix("rows scaled", n, [](int i, int j) { return std::pow(10.0, 7.0 * (i - n / 2)) * laplace(i, j); }));
  all.push_back(matrix("skew", n, [](int i, int j) { return j == i + 1 ? 1.0 : j == i - 1 ? -1.0 : 0.0; }));
  all.push_back(matrix("cyclic", n, [](int i, int j) { return j == (i + 1) % n ? 1.0 : 0.0; }));
  all.push_back(matrix("NaN", n, [](int i, int j) { return i == 3 && j == 3 ? std::nan("") : laplace(i, j); }));
  all.push_back(matrix("Hilbert", 10, [](int i, int j) { return 1.0 / (i + j + 1); }));
  std::mt19937 any(20261122);
  for (int k = 0; k < 6; ++k) {
    const int rows = 1 + static_cast<int>(any() % 25);
    const double spread = static_cast<double>(any() % 200);
    std::vector<double> a(at(rows) * at(rows));
    for (double& v : a) {
      const double power = spread * (static_cast<double>(any() % 1000) / 1000 - 0.5);
      v = any() % 3 == 0 ? (any() % 2 ? 1 : -1) * std::pow(10.0, power) : 0;
    }
    all.push_back(
        matrix("random " + std::to_string(k), rows, [&](int i, int j) { return a[at(i) * at(rows) + at(j)]; }));
  }
  return all;
}

std::vector<std::string> solvers() {
  std::vector<std::string> all;
  for (const auto* d : preconditioners()) {
    if (!(d->matrices & on_block_csr) || !is_made_of_defaults(*d)) continue;
    for (const auto* method : krylov_methods())
      if (method->takes_preconditioner) all.push_back(std::string(method->name) + "+" + std::string(d->name));
  }
  for (const auto* method : krylov_methods()) all.emplace_back(method->name);
  for (const std::string& library : peer_libraries()) {
    if (library == "eigen")
      all.insert(all.end(), {"eigen:sparse_lu", "eigen:bicgstab+ilut", "eigen:bicgstab+jacobi", "eigen:cg+jacobi"});
    if (library == "suitesparse") all.insert(all.end(), {"suitesparse:cholmod", "suitesparse:umfpack"});
    if (library == "amgcl") all.insert(all.end(), {"amgcl:cg+smoothed_aggregation", "amgcl:bicgstab+ruge_stuben"});
    if (library == "ginkgo")
      all.insert(all.end(), {"ginkgo:cg+multigrid", "ginkgo:gmres+ilu", "ginkgo:bicgstab+jacobi"});
    if (library == "petsc")
      all.insert(all.end(), {"petsc:-ksp_type gmres -pc_type ilu", "petsc:-ksp_type preonly -pc_type lu"});
    if (library == "hypre") all.insert(all.end(), {"hypre:cg+boomeramg", "hypre:gmres+ilu", "hypre:boomeramg"});
  }
  return all;
}

// |b - A x| / |b| in long double, whose range is that of double's squares; 0 / 0 is 0.
long double true_residual(const BlockCsrData& A, const std::vector<double>& b, const std::vector<double>& x) {
  long double rr = 0, bb = 0;
  for (int i = 0; i < A.rows(); ++i) {
    long double r = b[at(i)];
    bb += r * r;
    for (auto e = A.row_start[at(i)]; e < A.row_start[at(i) + 1]; ++e)
      r -= static_cast<long double>(A.value[at(e)]) * static_cast<long double>(x[at(A.column[at(e)])]);
    rr += r * r;
  }
  return bb == 0 ? std::sqrt(rr) : std::sqrt(rr) / std::sqrt(bb);
}

std::vector<double> row_sums(const BlockCsrData& A) {
  std::vector<double> b(at(A.rows()), 0.0);
  for (int i = 0; i < A.rows(); ++i)
    for (auto e = A.row_start[at(i)]; e < A.row_start[at(i) + 1]; ++e) b[at(i)] += A.value[at(e)];
  return b;
}

void check(const Wicked& w, const std::string& name, const std::vector<double>& b) {
  const std::size_t plus = name.find(':') != name.npos ? name.npos : name.find('+');
  std::string text = "method = \"" + name.substr(0, plus) + "\"\ntolerance = 1e-8\nmax_iterations = 100\n";
  if (plus != name.npos) text += "preconditioner = { type = \"" + name.substr(plus + 1) + "\" }\n";
  const BlockCsr<Host> A(w.A);
  const Array<double, Host> B(b);
  Array<double, Host> X(std::vector<double>(b.size(), 0.0));
  try {
    const auto solver = make_any_solver<Host>(read_case_text(text, "case.toml"), "gmres", "none");
    solver->setup(A);
    const SolveResult result = solver->solve(A, B, X);
    EXPECT_LE(result.iterations, most_iterations) << w.name << " by " << name;
    if (!result.converged()) return;
    const long double r = true_residual(w.A, b, X.to_vector());
    EXPECT_TRUE(r <= 10 * tolerance) << w.name << " by " << name << ": " << static_cast<double>(r);  // claim_slack
  } catch (const Error& e) {
    EXPECT_TRUE(e.code() == Exit::usage || e.code() == Exit::solver_failed || e.code() == Exit::not_finite)
        << w.name << " by " << name << ": " << e.what();
  }
}

TEST(WickedMatrices, NoSolverClaimsWhatIsNotTrue) {
  for (const Wicked& w : wicked_ones())
    for (const std::string& name : solvers()) {
      check(w, name, std::vector<double>(at(w.A.rows()), 1.0));
      check(w, name, row_sums(w.A));
    }
}

}  // namespace
}  // namespace weir::test::wicked_test
