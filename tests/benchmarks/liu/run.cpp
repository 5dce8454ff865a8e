#include "tests/benchmarks/liu/run.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>

#include "inputs/case.hpp"
#include "solvers/adapters/any_solver.hpp"
#include "solvers/adapters/peer.hpp"

namespace weir::bench {
namespace {

double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

Table options_of(const std::string& solver, double tolerance, int max_iterations) {
  const std::size_t plus = is_peer(solver) ? std::string::npos : solver.find('+');
  std::string text = "method = \"" + solver.substr(0, plus) + "\"\ntolerance = " + std::to_string(tolerance) +
                     "\nmax_iterations = " + std::to_string(max_iterations) + "\n";
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.3e", tolerance);
  text.replace(text.find("tolerance = ") + 12, std::to_string(tolerance).size(), digits);
  if (plus != std::string::npos) text += "preconditioner = { type = \"" + solver.substr(plus + 1) + "\" }\n";
  return read_case_text(text, solver);
}

constexpr int order_of_seven[] = {slot::delta, slot::gamma, slot::epsilon, slot::beta,
                                  slot::zeta,  slot::alpha, slot::eta};

}  // namespace

BlockCsrData to_csr(const Banded<Host>& A) {
  const BandedView view = A.banded();
  const BlockStencilView& S = view.bands;
  const RemainderView& R = view.remainder;
  BlockCsrData d;
  d.symmetric = A.is_symmetric();
  d.constant_null_space = A.has_constant_null_space();
  d.row_start.push_back(0);
  int q = 0;
  for (int c = 0; c < A.rows(); ++c) {
    std::map<int, double> row;
    for (int s = S.first; s < S.first + S.slots; ++s)
      if (const int to = S.neighbour(c, s); to >= 0 && (S.block(c, s)[0] != 0 || s == slot::delta))
        row[to] += S.block(c, s)[0];
    if (q < R.rows && R.row[q] == c) {
      for (int e = R.start[q]; e < R.start[q + 1]; ++e) row[R.column[e]] += R.value[e];
      ++q;
    }
    for (const auto& [column, value] : row) {
      d.column.push_back(column);
      d.value.push_back(value);
    }
    d.row_start.push_back(static_cast<std::int64_t>(d.column.size()));
  }
  return d;
}

std::vector<double> to_seven(const Banded<Host>& A) {
  const BlockStencilView S = A.stencil();
  std::vector<double> values;
  values.reserve(7 * static_cast<std::size_t>(A.rows()));
  for (int c = 0; c < A.rows(); ++c)
    for (const int s : order_of_seven) {
      const bool stored = s >= S.first && s < S.first + S.slots && S.neighbour(c, s) >= 0;
      values.push_back(stored ? S.block(c, s)[0] : 0);
    }
  return values;
}

Run run(const std::string& solver, const Matrix<Host>& A, std::span<const double> rhs, double tolerance,
        int max_iterations, int repeats) {
  auto any = make_any_solver<Host>(options_of(solver, tolerance, max_iterations));
  Run result{solver, 0, 1e30, 0, 0, false};
  Array<double, Host> b(static_cast<std::int64_t>(rhs.size())), x(b.size());
  b.upload(rhs);
  // A set-up copies the matrix for a peer, which is not the peer's time: its own clock counts, of which the processor
  // had this part.
  const double wall = seconds_of(CLOCK_MONOTONIC), busy = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  any->setup(A);
  const double part = (seconds_of(CLOCK_THREAD_CPUTIME_ID) - busy) / std::max(1e-9, seconds_of(CLOCK_MONOTONIC) - wall);
  result.setup_seconds = any->setup_info().seconds * std::min(1.0, part);
  double first = 0;
  for (int r = 0; r < repeats; ++r) {
    std::fill(x.data(), x.data() + x.size(), 0.0);
    const double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    const SolveResult s = any->solve(A, b, x);
    const double seconds = seconds_of(CLOCK_THREAD_CPUTIME_ID) - start;
    if (r == 0) first = seconds;
    result.solve_seconds = std::min(result.solve_seconds, seconds);
    result.iterations = s.iterations;
    result.residual = s.residual0 > 0 ? s.true_residual / s.residual0 : 0;
    result.converged = s.converged();
  }
  result.setup_seconds += first - result.solve_seconds;  // what a first solve allocates
  return result;
}

bool has_peer(const std::string& library) {
  const auto there = peer_libraries();
  return std::find(there.begin(), there.end(), library) != there.end();
}

}  // namespace weir::bench
