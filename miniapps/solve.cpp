#include "miniapps/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/matrix/matrix_market.hpp"

namespace weir {
namespace {

// What is tried where nothing is named: each family once, the cheap ones first.
const std::vector<std::string> general_list = {"bicgstab+jacobi",   "bicgstab+block_jacobi",
                                               "gmres+block_ilu0",  "bicgstab+block_ilu0",
                                               "fgmres+multicolor", "fgmres+async_block_ilu0"};
const std::vector<std::string> symmetric_list = {"cg+jacobi", "cg+block_jacobi", "cg+block_ilu0"};

struct Candidate {
  std::string name;
  Table options;
};

// "method" or "method+preconditioner", or a file with the keys of [linear.SYSTEM].
Candidate candidate_of(const std::string& solver, const SolveArguments& a) {
  const std::string defaults = fmt::format("tolerance = {}\nmax_iterations = {}\n", a.tolerance, a.max_iterations);
  if (solver.ends_with(".toml")) {
    if (!std::filesystem::exists(solver)) throw Error(Exit::file_io, solver + ": there is no such file");
    Table options = read_case(solver);
    std::vector<std::string> overrides;
    if (!options.has("tolerance")) overrides.push_back(fmt::format("tolerance={}", a.tolerance));
    if (!options.has("max_iterations")) overrides.push_back(fmt::format("max_iterations={}", a.max_iterations));
    return {std::filesystem::path(solver).stem().string(), read_case(solver, overrides)};
  }
  const std::size_t plus = solver.find('+');
  std::string text = "method = \"" + solver.substr(0, plus) + "\"\n" + defaults;
  if (plus != std::string::npos) text += "preconditioner = { type = \"" + solver.substr(plus + 1) + "\" }\n";
  return {solver, read_case_text(text, "--solver " + solver)};
}

struct Row {
  SolveResult result;
  SetupInfo setup;
  std::string refusal;  // why the method does not apply
};

template <class Space>
class System {
 public:
  System(const BlockCsrData& data, const std::vector<double>& rhs) : A_(data), b_(rhs), x_(A_.size()) {}

  Row solve(const Table& options) {
    Row row;
    LinearSolver<Space> solver(options, "gmres", "none");  // a mistyped name ends the program
    options.refuse_unknown();
    try {
      x_.upload(std::vector<double>(static_cast<std::size_t>(A_.size()), 0.0));
      solver.setup(A_);
      row.setup = solver.setup_info();
      row.result = solver.solve(A_, b_, x_);
    } catch (const Error& e) {
      row.refusal = e.what();
    }
    return row;
  }
  std::vector<double> solution() const { return x_.to_vector(); }

 private:
  BlockCsr<Space> A_;
  Array<double, Space> b_, x_;
};

void print_row(const std::string& name, const Row& row, double norm_b) {
  if (!row.refusal.empty()) {
    fmt::print("{:<28} {}\n", name, row.refusal);
    return;
  }
  const SolveResult& r = row.result;
  fmt::print("{:<28} {:>10.3f} {:>10.3f} {:>10} {:>12.3e} {:>12}  {}\n", name, 1e3 * row.setup.seconds,
             1e3 * r.solve_seconds, r.iterations, r.true_residual / norm_b,
             row.setup.bytes > 0 ? fmt::format("{:.2f}", static_cast<double>(row.setup.bytes) / 1e6) : "",
             to_string(r.reason));
}

// What rounding alone leaves of |b - A x| / |b|: eps | |A| |x| | / |b|. No method in double gets far below.
double attainable_accuracy(const BlockCsrData& data, const std::vector<double>& x, double norm_b) {
  const int B = data.block;
  double sum = 0;
  for (int row = 0; row < data.rows() * B; ++row) {
    double s = 0;
    for (auto e = data.row_start[static_cast<std::size_t>(row / B)];
         e < data.row_start[static_cast<std::size_t>(row / B) + 1]; ++e)
      for (int v = 0; v < B; ++v)
        s += std::abs(data.value[static_cast<std::size_t>((e * B + row % B) * B + v)] *
                      x[static_cast<std::size_t>(data.column[static_cast<std::size_t>(e)] * B + v)]);
    sum += s * s;
  }
  return std::numeric_limits<double>::epsilon() * std::sqrt(sum) / norm_b;
}

template <class Space>
int solve_all(const SolveArguments& a, const BlockCsrData& data, const std::vector<double>& rhs,
              const std::vector<Candidate>& candidates) {
  System<Space> system(data, rhs);
  double norm_b = 0;
  for (const double v : rhs) norm_b += v * v;
  norm_b = norm_b > 0 ? std::sqrt(norm_b) : 1;
  fmt::print("{:<28} {:>10} {:>10} {:>10} {:>12} {:>12}\n", "solver", "setup ms", "solve ms", "iterations",
             "|b-Ax|/|b|", "setup MB");
  bool all = true, any = false;
  double attainable = 0;
  for (const Candidate& c : candidates) {
    const Row row = system.solve(c.options);
    print_row(c.name, row, norm_b);
    if (row.refusal.empty() && row.result.reason == Reason::stagnated)
      attainable = attainable_accuracy(data, system.solution(), norm_b);
    const bool solved = row.refusal.empty() && row.result.converged();
    all = all && solved;
    any = any || solved;
  }
  if (attainable > 0)
    fmt::print(
        "\nstagnated: rounding alone leaves |b-Ax|/|b| of about {:.1e} here (eps ||A||x|| / |b|); {}\n", attainable,
        attainable > 0.1 * a.tolerance ? "a smaller tolerance cannot be met in double" : "more than that is left");
  if (!a.solution.empty()) write_vector_market(a.solution, system.solution());
  return static_cast<int>((a.solvers.empty() ? any : all) ? Exit::finished : Exit::solver_failed);
}

// The values say it, whatever the file's banner. Columns ascend.
bool is_symmetric(const BlockCsrData& data) {
  const int B = data.block;
  std::vector<std::int64_t> next(data.row_start.begin(), data.row_start.end() - 1);  // of row j: its next block to meet
  for (int i = 0; i < data.rows(); ++i)
    for (auto e = data.row_start[static_cast<std::size_t>(i)]; e < data.row_start[static_cast<std::size_t>(i) + 1];
         ++e) {
      const auto j = static_cast<std::size_t>(data.column[static_cast<std::size_t>(e)]);
      const std::int64_t mirror = next[j]++;
      if (mirror == data.row_start[j + 1] || data.column[static_cast<std::size_t>(mirror)] != i) return false;
      for (int u = 0; u < B; ++u)
        for (int v = 0; v < B; ++v)
          if (data.value[static_cast<std::size_t>((e * B + u) * B + v)] !=
              data.value[static_cast<std::size_t>((mirror * B + v) * B + u)])
            return false;
    }
  return true;
}

// What cg needs at least. A negative definite matrix would do with both sides negated.
bool has_positive_diagonal(const BlockCsrData& data) {
  const int B = data.block;
  for (int i = 0; i < data.rows(); ++i)
    for (auto e = data.row_start[static_cast<std::size_t>(i)]; e < data.row_start[static_cast<std::size_t>(i) + 1]; ++e)
      for (int u = 0; u < B && data.column[static_cast<std::size_t>(e)] == i; ++u)
        if (!(data.value[static_cast<std::size_t>((e * B + u) * B + u)] > 0)) return false;
  return true;
}

// Sums of rows and columns are rounding: the constant vector spans the null space, and has to be projected out.
bool has_constant_null_space(const BlockCsrData& data) {
  if (data.block != 1) return false;
  const auto n = static_cast<std::size_t>(data.rows());
  std::vector<double> row(n), column(n), row_size(n), column_size(n);
  for (std::size_t i = 0; i < n; ++i)
    for (auto e = static_cast<std::size_t>(data.row_start[i]); e < static_cast<std::size_t>(data.row_start[i + 1]);
         ++e) {
      const auto j = static_cast<std::size_t>(data.column[e]);
      row[i] += data.value[e];
      column[j] += data.value[e];
      row_size[i] += std::abs(data.value[e]);
      column_size[j] += std::abs(data.value[e]);
    }
  constexpr double rounding = 1e-13;
  for (std::size_t i = 0; i < n; ++i)
    if (std::abs(row[i]) > rounding * row_size[i] || std::abs(column[i]) > rounding * column_size[i]) return false;
  return true;
}

}  // namespace

int solve_system(const SolveArguments& a) {
  BlockCsrData data = read_matrix_market(a.matrix, a.block);
  data.symmetric = is_symmetric(data);
  data.constant_null_space = has_constant_null_space(data);
  const std::int64_t size = std::int64_t{data.rows()} * data.block;
  const std::vector<double> rhs =
      a.rhs.empty() ? std::vector<double>(static_cast<std::size_t>(size), 1.0) : read_vector_market(a.rhs, size);
  std::vector<std::string> names = a.solvers;
  if (names.empty()) {
    if (data.symmetric && has_positive_diagonal(data)) names = symmetric_list;
    names.insert(names.end(), general_list.begin(), general_list.end());
  }
  std::vector<Candidate> candidates;
  for (const std::string& name : names) candidates.push_back(candidate_of(name, a));
  fmt::print("{}: {} rows, {} entries in blocks of {}{}{}; right-hand side: {}\n\n", a.matrix, size, data.value.size(),
             data.block, data.symmetric ? ", symmetric" : "",
             data.constant_null_space ? ", singular (constants, projected out)" : "",
             a.rhs.empty() ? "all ones" : a.rhs);
  return a.space == "device" ? solve_all<Device>(a, data, rhs, candidates) : solve_all<Host>(a, data, rhs, candidates);
}

}  // namespace weir
