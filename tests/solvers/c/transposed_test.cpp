// A^T x = b by every method, and the transpose of every preconditioner, in both spaces: the tables of
// docs/reference/call_from_c.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/registry.hpp"
#include "tests/solvers/c/system.hpp"

namespace weir::test::c::transposed_test {
namespace {

// Equal off-diagonal blocks, so that A = A^T.
System symmetric(int n) {
  System A(n, 2);
  for (std::size_t e = 0; e < A.value.size(); ++e) A.value[e] = e % 4 == 0 || e % 4 == 3 ? -1 : 0.05;
  for (int i = 0; i < A.rows; ++i)
    for (std::int64_t e = A.start[i]; e < A.start[i + 1]; ++e)
      if (A.column[e] == i) A.value[4 * e] = A.value[4 * e + 3] = 4.6;
  return A;
}

template <class Space>
class SolverOf {
 public:
  SolverOf(const System& A, const std::string& options)
      : start_(A.start), column_(A.column), value_(A.value), solver_(options) {
    weir_csr csr = A.csr();
    csr.flags = std::is_same_v<Space, Device> ? WEIR_ON_DEVICE : 0;
    csr.row_start = start_.data(), csr.column = column_.data(), csr.value = value_.data();
    EXPECT_EQ(weir_setup(solver_.handle, &csr), WEIR_OK) << options << ": " << error();
  }
  std::vector<double> apply(const std::vector<double>& v) { return called(weir_apply, v); }
  std::vector<double> apply_transposed(const std::vector<double>& v) { return called(weir_apply_transposed, v); }
  std::vector<double> solve_transposed(const std::vector<double>& b, bool is_solved = true) {
    return called(
        [=](weir_solver_t* s, const double* from, double* to) {
          weir_result result{};
          result.bytes = sizeof result;
          const int outcome = weir_solve_transposed(s, from, to, &result);
          EXPECT_EQ(outcome == WEIR_OK && result.reason == WEIR_CONVERGED, is_solved);
          return outcome;
        },
        b);
  }
  int code() const { return code_; }  // of the last call
  std::string error() const { return solver_.error(); }

 private:
  template <class F>
  std::vector<double> called(const F& f, const std::vector<double>& v) {
    const Array<double, Space> from(v);
    Array<double, Space> to(std::vector<double>(v.size(), 0.0));
    code_ = f(solver_.handle, from.data(), to.data());
    return to.to_vector();
  }
  Array<std::int64_t, Space> start_;
  Array<std::int32_t, Space> column_;
  Array<double, Space> value_;
  Solver solver_;
  int code_ = WEIR_OK;
};

// Residuals of a few roundings of the entries: 1e-13 is asked for.
template <class Space>
void solve_by_every_method(int n) {
  for (const KrylovDescription* d : krylov_methods()) {
    const System A = d->needs_symmetry ? symmetric(n) : System(n, 2);
    const std::string type = d->needs_symmetric_preconditioner ? "block_jacobi" : "block_ilu0";
    SolverOf<Space> s(A, "method = \"" + std::string(d->name) + "\"\ntolerance = 1e-13\nmax_iterations = 1000\n" +
                             (d->takes_preconditioner ? "preconditioner = { type = \"" + type + "\" }" : ""));
    const std::vector<double> b = random_vector(A.size(), 1), x = s.solve_transposed(b, d->name != "chebyshev");
    if (d->name == "chebyshev") {  // for tensor grids alone
      EXPECT_NE(s.error().find("separable"), std::string::npos) << s.error();
      continue;
    }
    ASSERT_EQ(s.code(), WEIR_OK) << d->name << ": " << s.error();
    EXPECT_LT(distance(A.product(x, true), b), 1e-12) << d->name;
  }
}
TEST(CInterface, EveryMethodSolvesTheTransposedSystem) { solve_by_every_method<Host>(16); }
TEST(CInterfaceOnDevice, EveryMethodSolvesTheTransposedSystem) { solve_by_every_method<Device>(6); }

// <M^-T u, v> = <u, M^-1 v> to the roundings of two sums, or a refusal that says why.
template <class Space>
void apply_every_preconditioner(int n) {
  const std::set<std::string_view> adjoint{"none",       "jacobi", "block_jacobi",    "sgs",
                                           "block_ilu0", "parilu", "additive_schwarz"};
  const std::set<std::string_view> by_chance{"line", "parilut"};  // where A^T has the lines or the pattern of A
  const System A(n, 2);
  const std::vector<double> u = random_vector(A.size(), 1), v = random_vector(A.size(), 2);
  for (const PreconditionerDescription* d : preconditioners()) {
    if (!(d->matrices & on_block_csr) || !is_made_of_defaults(*d)) continue;
    SolverOf<Space> s(
        A, "method = \"fgmres\"\ntolerance = 1e-13\npreconditioner = { type = \"" + std::string(d->name) + "\" }");
    const std::vector<double> Mv = s.apply(v);
    ASSERT_EQ(s.code(), WEIR_OK) << d->name << ": " << s.error();
    const std::vector<double> Mu = s.apply_transposed(u);
    if (!by_chance.count(d->name)) {
      EXPECT_EQ(s.code(), adjoint.count(d->name) ? WEIR_OK : WEIR_BAD_INPUT) << d->name << ": " << s.error();
    }
    if (s.code() == WEIR_OK) {
      EXPECT_NEAR(dot(Mu, v), dot(u, Mv), 1e-12 * std::sqrt(dot(u, u) * dot(Mv, Mv))) << d->name;
    } else {
      EXPECT_NE(s.error().find("transpose"), std::string::npos) << s.error();
    }
    const std::vector<double> x = s.solve_transposed(u);
    ASSERT_EQ(s.code(), WEIR_OK) << d->name << ": " << s.error();
    EXPECT_LT(distance(A.product(x, true), u), 1e-12) << d->name;
  }
}
TEST(CInterface, TransposedPreconditionersAreAdjointOrRefused) { apply_every_preconditioner<Host>(16); }
TEST(CInterfaceOnDevice, TransposedPreconditionersAreAdjointOrRefused) { apply_every_preconditioner<Device>(6); }

}  // namespace
}  // namespace weir::test::c::transposed_test
