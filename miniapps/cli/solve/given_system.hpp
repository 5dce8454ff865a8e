// The system of `weir solve`: solved by one candidate after the other from the same guess. Every result is checked
// against the given entries and tolerance.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "base/at.hpp"
#include "base/error.hpp"
#include "miniapps/cli/systems.hpp"
#include "solvers/adapters/any_solver.hpp"
#include "solvers/adapters/extended.hpp"
#include "solvers/adapters/peer.hpp"
#include "solvers/diagnosis/failed_solve.hpp"
#include "solvers/matrix/facts.hpp"
#include "solvers/matrix/row_error.hpp"

namespace weir {

// Whether constants are projected out of the system, and why.
enum class Constants {
  kept,        // not a null vector
  known,       // null vector according to the flow code: b counts without its mean
  exact,       // all sums of rows and columns are zero
  to_rounding  // the sums are zero to rounding: a guess, dropped if b has a mean
};

// b - A x of the given system, in the norm of the options, and whether it meets the tolerance.
struct Accuracy {
  double relative = 0;  // relative to |b|
  bool is_met = false;
};

struct SolvedRow {
  SolveResult result;
  Accuracy accuracy;
  bool projected = false;  // with the constants projected out
  SetupInfo setup;
  std::string refusal;  // why the method is not applicable
  Exit code_of_refusal = Exit::finished;
  bool is_known = false;  // its names and keys are valid
  std::string report;     // report of its set-up
};

inline std::string name_of_rows(int block_row, int block) {
  const std::int64_t first = std::int64_t{block_row} * block + 1;
  return block == 1 ? fmt::format("row {} (counted from 1, as in the file)", first)
                    : fmt::format("rows {} to {} (counted from 1, as in the file)", first, first + block - 1);
}

template <class Space>
class GivenSystem {
 public:
  GivenSystem(const BlockCsrData& data, const std::vector<double>& rhs, const std::vector<double>& guess,
              Constants constants)
      : data_(data), rhs_(rhs), guess_(guess), constants_(constants), A_(data), b_(rhs), x_(A_.size()) {}

  // If constants are only a guessed null space and b has a mean above the tolerance, the system is also solved without
  // the projection, and the better x counts.
  SolvedRow solve(const Table& options, const SolveArguments& a) {
    SolvedRow row = solve_once(options, a, constants_ != Constants::kept);
    if (constants_ != Constants::to_rounding || row.accuracy.is_met || !row.is_known || a.extended) return row;
    if (constant_part(rhs_) <= options.get<double>("tolerance", a.tolerance)) return row;
    const std::vector<double> x = solution();
    const SolvedRow other = solve_once(options, a, false);
    const bool is_better =
        other.refusal.empty() && (!row.refusal.empty() || other.accuracy.relative < row.accuracy.relative);
    if (is_better) return other;
    x_.upload(x);
    return row;
  }
  std::vector<double> solution() const { return x_.to_vector(); }

  // Diagnosis of a failed solve of one of our own methods, directly after it.
  Finding why_it_failed(const Table& options, const SolvedRow& row) const {
    FailedSolve<Space> failed;
    failed.A = &A_;
    failed.b = b_.view();
    failed.x = x_.view();
    failed.result = row.result;
    failed.refusal = row.refusal;
    failed.name_of_row = [](int i) { return name_of_rows(i, 1); };
    failed.settings = read_solver_settings("", options, "gmres", "none", strict());
    return examine(failed);
  }

 private:
  static KrylovOptions strict() {
    KrylovOptions o;
    o.strict = true;
    return o;
  }
  SolvedRow solve_once(const Table& options, const SolveArguments& a, bool project) {
    SolvedRow row;
    row.projected = project;
    A_.set_constant_null_space(project);
    try {
      const auto solver = make_any_solver<Space>(options, "gmres", "none", strict());
      options.refuse_unknown();
      row.is_known = true;
      x_.upload(guess_);
      solver->setup(A_);
      row.setup = solver->setup_info();
      row.report = solver->report();
      row.result = a.extended ? solve_extended(*solver, a) : solver->solve(A_, b_, x_);
      judge(options, a, row);
    } catch (const RowError& e) {
      row.refusal = e.with_name(name_of_rows(e.row(), data_.block)).what();
      row.code_of_refusal = e.code();
    } catch (const Error& e) {
      row.refusal = e.what();
      row.code_of_refusal = e.code();
    }
    return row;
  }

  // Checks the result against the entries of the given system and the given tolerance. Solutions in double-double
  // precision have been checked with their own residual.
  void judge(const Table& options, const SolveArguments& a, SolvedRow& row) const {
    SolveResult& r = row.result;
    const KrylovOptions o = read_krylov_options(options, {});
    const double tolerance = a.extended ? a.tolerance : o.tolerance;
    const double s = power_of_two_below(rhs_);  // against overflow of squares
    const double b = size_of(scaled_rhs(s), o.norm),
                 now = a.extended ? s * r.true_residual : residual(solution(), s, o);
    const double reference = !o.relative ? s : o.reference == "initial" ? residual(guess_, s, o) : b;
    row.accuracy.relative = b > 0 ? now / b : now;
    row.accuracy.is_met = std::isfinite(now) && now <= tolerance * reference && r.reason != Reason::not_finite;
    if (a.extended || r.reason == Reason::interrupted) return;
    if (row.accuracy.is_met)
      r.reason = Reason::converged;
    else if (!std::isfinite(now))
      r.reason = Reason::not_finite;
    else if (r.converged())
      r.reason = Reason::stagnated;
  }
  // 1 / 2^k with 2^k <= |b| in the maximum norm.
  static double power_of_two_below(const std::vector<double>& b) {
    double most = 0;
    for (const double v : b) most = std::max(most, std::abs(v));
    return most > 0 && std::isfinite(most) ? std::ldexp(1.0, std::clamp(-std::ilogb(most), -1000, 1000)) : 1;
  }
  std::vector<double> scaled_rhs(double s) const {
    std::vector<double> b = rhs_;
    for (double& v : b) v *= s;
    if (constants_ == Constants::known) take_mean_off(b);
    return b;
  }
  double residual(std::vector<double> x, double s, const KrylovOptions& o) const {
    std::vector<double> r = rhs_;
    for (double& v : x) v *= s;
    for (double& v : r) v *= s;
    const int B = data_.block;
    for (std::size_t row = 0; row < r.size(); ++row) {
      const std::size_t i = row / at(B), u = row % at(B);
      double product = 0;
      for (auto e = at(data_.row_start[i]); e < at(data_.row_start[i + 1]); ++e)
        for (std::size_t v = 0; v < at(B); ++v)
          product += data_.value[(e * at(B) + u) * at(B) + v] * x[at(data_.column[e]) * at(B) + v];
      r[row] -= product;
    }
    if (constants_ == Constants::known) take_mean_off(r);
    return size_of(r, o.norm);
  }
  static void take_mean_off(std::vector<double>& v) {
    double sum = 0;
    for (const double e : v) sum += e;
    for (double& e : v) e -= sum / static_cast<double>(v.size());
  }
  static double size_of(const std::vector<double>& v, Norm norm) {
    if (norm == Norm::l2) return l2_norm(v);
    double most = 0;
    for (const double e : v) most = std::isnan(e) ? e : std::max(most, std::abs(e));
    return most;
  }

  SolveResult solve_extended(AnySolver<Space>& solver, const SolveArguments& a) {
    if constexpr (std::is_same_v<Space, Host>) {
      const ExtendedSolution s = weir::solve_extended(data_, A_, solver, rhs_, a.tolerance, a.max_iterations);
      x_.upload(s.x);
      return s.result;
    }
    throw Error(Exit::usage, "--extended runs on the host only");
  }

  const BlockCsrData& data_;
  const std::vector<double>&rhs_, &guess_;
  const Constants constants_;
  BlockCsr<Space> A_;
  Array<double, Space> b_, x_;
};

}  // namespace weir
