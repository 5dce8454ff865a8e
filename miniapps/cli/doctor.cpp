#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "base/print.hpp"
#include "miniapps/cli/systems.hpp"
#include "solvers/adapters/peer.hpp"
#include "solvers/diagnosis/diagnosis.hpp"
#include "solvers/diagnosis/examination.hpp"
#include "solvers/diagnosis/spectrum.hpp"
#include "solvers/matrix/block/cut_blocks.hpp"
#include "solvers/matrix/io/matrix_market.hpp"

namespace weir {
namespace {

constexpr double largest_factorisation = 2e10;  // rows times the square of their bandwidth in RCM order
constexpr int lanczos_steps = 80;
constexpr double eps = 2.2e-16;
constexpr double ill_conditioned = 1e8;  // condition number from which rounding limits the residual

enum class Mark { good, look, fault };

template <class... Arguments>
void line(Mark mark, std::string_view label, fmt::format_string<Arguments...> form, Arguments&&... arguments) {
  say("{} {:<13} {}\n",
      mark == Mark::fault  ? '!'
      : mark == Mark::look ? '?'
                           : ' ',
      label, fmt::format(form, std::forward<Arguments>(arguments)...));
}

// "3 (first: row 17)"; rows are counted from 1, as in the file.
std::string counted(const RowTally& rows, const char* what = "row") {
  return rows.count == 0 ? "0" : fmt::format("{} (first: {} {})", rows.count, what, rows.first + 1);
}

// Estimated singular values, on which the advice is based.
struct Estimates {
  std::optional<SmallestSingular> smallest;
  double largest = 0;           // largest singular value
  double constant_part = 0;     // |v . 1| / sqrt(n) of the singular vector of the smallest one
  RitzValues symmetric_part;    // of (A + A^T) / 2
  bool is_singular = false;     // to rounding, also after scaling of rows and columns
  double scaled_condition = 0;  // after that scaling, if A is nearly singular; 0: unknown
  double condition() const { return smallest && smallest->sigma > 0 ? largest / smallest->sigma : 0; }
  bool is_ill_conditioned() const {  // after scaling, which removes harmless ill-conditioning
    return !is_singular && (scaled_condition > 0 ? scaled_condition : condition()) > ill_conditioned;
  }
};

bool has_library(const std::string& name) {
  const std::vector<std::string> there = peer_libraries();
  return std::ranges::find(there, name) != there.end();
}

bool can_factorise(const Diagnosis& d) {
  return has_library("eigen") &&
         static_cast<double>(d.rows) * std::pow(d.rcm_bandwidth + 1.0, 2) <= largest_factorisation;
}

void subtract_mean(std::span<double> x) {
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  for (double& v : x) v -= mean;
}

// With its first diagonal entry doubled a matrix with constant null vectors is regular; solutions for right-hand sides
// without a mean stay the same, with x_0 = 0.
BlockCsrData pinned(BlockCsrData A) {
  for (auto e = A.row_start[0]; e < A.row_start[1]; ++e)
    if (A.column[e] == 0) A.value[e] *= 2;
  return A;
}

// constants: the null space, outside of which the value is.
SmallestSingular smallest_by_factors(const BlockCsrData& A, const BlockCsrData& T, bool constants) {
  const auto lu = make_peer("eigen:sparse_lu", {}), lu_transposed = make_peer("eigen:sparse_lu", {});
  lu->setup(constants ? pinned(A) : A);
  lu_transposed->setup(constants ? pinned(T) : T);
  const auto by = [constants](Peer& peer) {
    return [&peer, constants](std::span<const double> x, std::span<double> y) {
      std::vector<double> b(x.begin(), x.end());
      if (constants) subtract_mean(b);
      const bool is_solved = peer.solve(b, 0, 1, y).reason == Reason::converged;
      if (constants) subtract_mean(y);
      return is_solved;
    };
  };
  constexpr int steps = 5;
  const auto product = [&](std::span<const double> x, std::span<double> y) {
    multiply(A, x, y);
    return true;
  };
  return smallest_singular(product, by(*lu), by(*lu_transposed), A.rows(), steps);
}

double power_of_two_above(double size) { return size > 0 ? std::ldexp(1.0, std::ilogb(size) + 1) : 1; }

// D A E with diagonal matrices D and E of powers of two, so that the largest entries of rows and columns are of order
// one. It is singular exactly if A is, but rows of other units or penalties no longer look singular.
BlockCsrData equilibrated(BlockCsrData A) {
  std::vector<double> column(static_cast<std::size_t>(A.rows()));
  for (int sweep = 0; sweep < 4; ++sweep) {
    const std::vector<double> row = largest_in_rows(A);
    std::ranges::fill(column, 0.0);
    for (int i = 0; i < A.rows(); ++i)
      for (auto e = A.row_start[i]; e < A.row_start[i + 1]; ++e) {
        A.value[e] /= power_of_two_above(row[i]);
        column[A.column[e]] = std::max(column[A.column[e]], std::abs(A.value[e]));
      }
    for (std::size_t e = 0; e < A.value.size(); ++e) A.value[e] /= power_of_two_above(column[A.column[e]]);
  }
  return A;
}

bool is_singular_to_rounding(const SmallestSingular& s, double largest) {
  return !s.found || s.sigma <= 4 * eps * largest;
}

double largest_singular(const BlockCsrData& A, const BlockCsrData& T) {
  return std::sqrt(std::max(lanczos_of_squares(A, T, lanczos_steps).most, 0.0));
}

void estimate_scaled(const BlockCsrData& A, Estimates& e) {
  const BlockCsrData scaled = equilibrated(A), T = transposed(scaled);
  const SmallestSingular s = smallest_by_factors(scaled, T, false);
  const double largest = largest_singular(scaled, T);
  e.is_singular = is_singular_to_rounding(s, largest);
  if (!e.is_singular) e.scaled_condition = largest / s.sigma;
}

// For matrices with a largest entry of order one, whose squares neither overflow nor underflow.
Estimates estimate_of_order_one(const BlockCsrData& A, const Diagnosis& d) {
  Estimates e;
  const BlockCsrData T = transposed(A);
  const RitzValues squares = lanczos_of_squares(A, T, lanczos_steps);
  e.largest = std::sqrt(std::max(squares.most, 0.0));
  e.symmetric_part = lanczos_of_symmetric_part(A, T, lanczos_steps);
  if (can_factorise(d)) {
    e.smallest = smallest_by_factors(A, T, d.has_constant_null_space());
    e.is_singular = is_singular_to_rounding(*e.smallest, e.largest);
    if (!e.smallest->found) return e;
    double sum = 0;
    for (const double v : e.smallest->vector) sum += v;
    e.constant_part = std::abs(sum) / std::sqrt(A.rows());
  } else {  // lower bound of the condition number
    SmallestSingular s;
    s.sigma = std::sqrt(std::max(squares.least, 0.0));
    e.smallest = s;
  }
  return e;
}

Estimates estimate(const BlockCsrData& A, const Diagnosis& d) {
  const double unit = power_of_two_above(d.entry.most) / 2;
  BlockCsrData of_order_one = A;
  for (double& v : of_order_one.value) v /= unit;
  Estimates e = estimate_of_order_one(of_order_one, d);
  if (can_factorise(d) && (e.is_singular || e.condition() > ill_conditioned)) estimate_scaled(A, e);
  e.largest *= unit;
  if (e.smallest) e.smallest->sigma *= unit;
  e.symmetric_part.least *= unit;
  e.symmetric_part.most *= unit;
  return e;
}

void print_entries(const Diagnosis& d, const MarketFaults& faults) {
  if (d.not_finite)
    line(Mark::fault, "not finite", "{} entries are NaN or Inf (first: row {}, column {})", d.not_finite,
         faults.not_finite_row + 1, faults.not_finite_column + 1);
  if (faults.repeated)
    line(Mark::fault, "duplicates",
         "{} duplicate entries (first: row {}, column {}); weir doctor adds them up, weir solve rejects them",
         faults.repeated, faults.repeated_row + 1, faults.repeated_column + 1);
  if (d.empty_rows.count) line(Mark::fault, "empty rows", "{}", counted(d.empty_rows));
  if (d.empty_columns.count) line(Mark::fault, "empty columns", "{}", counted(d.empty_columns, "column"));
  if (d.stored_zeros) line(Mark::good, "zeros", "{} explicit zeros are stored", d.stored_zeros);
}

void print_diagonal(const Diagnosis& d) {
  const bool whole = d.missing_diagonal.count + d.zero_diagonal.count == 0;
  if (whole)
    line(d.negative_diagonal.count && d.negative_diagonal.count < d.rows ? Mark::look : Mark::good, "diagonal",
         "no zeros; {}; magnitudes {:.2g} to {:.2g}",
         d.negative_diagonal.count == 0        ? "all positive"
         : d.negative_diagonal.count == d.rows ? "all negative"
                                               : counted(d.negative_diagonal) + " negative",
         d.diagonal.least, d.diagonal.most);
  else
    line(Mark::look, "diagonal", "missing in {}, zero in {}: no pivots for jacobi, ILU(0) and multicolor",
         counted(d.missing_diagonal), counted(d.zero_diagonal));
  const std::string worst = std::isfinite(d.worst_dominance)
                                ? fmt::format("; largest ratio of off-diagonal sum to diagonal {:.6g} (row {})",
                                              d.worst_dominance, d.worst_row + 1)
                                : "";
  line(Mark::good, "dominance", "strict in {} of {} rows, violated in {}{}", d.strictly_dominant.count, d.rows,
       d.not_dominant.count, worst);
}

// The pivots of ILU(0) in this order of the rows.
Pivots print_pivots(const BlockCsrData& A, const Diagnosis& d) {
  if (d.missing_diagonal.count || d.not_finite) return {};
  const Pivots p = ilu0_pivots(A);
  if (p.bad_row >= 0)
    line(Mark::look, "ILU(0)", "zero pivot in row {} (diagonal entry {:.3g})", p.bad_row + 1, p.diagonal);
  else if (p.least_row >= 0)
    line(p.least_ratio < 1e-6 ? Mark::look : Mark::good, "ILU(0)", "smallest pivot {:.2g} relative to its row (row {})",
         p.least_ratio, p.least_row + 1);
  return p;
}

// Quoted for a shell, if necessary.
std::string quoted(const std::string& word) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,/:=@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

void print_sums(const Diagnosis& d) {
  if (d.has_constant_null_space())
    line(Mark::look, "row sums", "zero in all rows and columns: singular; constant vectors are its null space");
  else
    line(d.zero_row_sums.count == d.rows ? Mark::look : Mark::good, "row sums",
         "zero in {} of {} rows, {} of {} columns{}", d.zero_row_sums.count, d.rows, d.zero_column_sums.count, d.rows,
         d.zero_row_sums.count == d.rows ? ": singular; right-hand sides must be orthogonal to the left null vector"
         : d.zero_column_sums.count == d.rows ? ": singular, right-hand sides must sum to zero"
                                              : "");
}

void print_structure(const Diagnosis& d) {
  const auto percent = [](double part) { return fmt::format("{:.4g} %", 100 * part); };
  if (d.is_symmetric())
    line(Mark::good, "symmetry", "{}",
         d.asymmetry == 0 ? "symmetric, exactly" : fmt::format("symmetric to rounding ({:.1e})", d.asymmetry));
  else if (d.skewness == 0 && d.diagonal.most == 0)
    line(Mark::good, "symmetry", "skew, exactly");
  else
    line(Mark::good, "symmetry",
         "not symmetric: {} of the pattern is mirrored; values differ by up to {:.2g} of the row's largest entry",
         percent(d.mirrored), d.asymmetry);
  line(d.row_size.ratio() > 1e6 || d.column_size.ratio() > 1e6 ? Mark::look : Mark::good, "scaling",
       "largest entries of the rows {:.2g} to {:.2g} (ratio {:.1g}); ratio of columns {:.1g}, of all entries {:.1g}",
       d.row_size.least, d.row_size.most, d.row_size.ratio(), d.column_size.ratio(), d.entry.ratio());
  line(Mark::good, "bandwidth", "{} below, {} above the diagonal; {} after reverse Cuthill-McKee", d.lower_bandwidth,
       d.upper_bandwidth, d.rcm_bandwidth);
  line(d.components > 1 ? Mark::look : Mark::good, "components", "{} connected; {} irreducible, the largest of {} rows",
       d.components, d.irreducible_blocks, d.largest_irreducible);
  line(Mark::good, "blocks", "{}", d.block > 1 ? fmt::format("dense blocks of {}", d.block) : "no dense blocks");
}

// Of the mesh: the distance of the farthest coupled unknown over that of the nearest, in each block row.
void print_aspect_ratio(const Capsule& c, const BlockCsrData& A) {
  std::vector<double> ratios;
  const auto distance = [p = c.places.data()](std::int64_t i, std::int64_t j) {
    return std::hypot(p[3 * i] - p[3 * j], p[3 * i + 1] - p[3 * j + 1], p[3 * i + 2] - p[3 * j + 2]);
  };
  for (int i = 0; i < A.rows(); ++i) {
    double least = INFINITY, most = 0;
    for (auto e = A.row_start[i]; e < A.row_start[i + 1]; ++e)
      if (const double length = distance(i, A.column[e]); length > 0) {
        least = std::min(least, length);
        most = std::max(most, length);
      }
    if (most > 0) ratios.push_back(most / least);
  }
  if (ratios.empty()) return;
  std::ranges::sort(ratios);
  line(Mark::good, "aspect ratio", "median {:.3g}, largest {:.3g}: farthest coupled unknown over the nearest",
       ratios[ratios.size() / 2], ratios.back());
}

void print_scaled_condition(const Estimates& e) {
  if (e.scaled_condition > 0)
    line(e.scaled_condition > ill_conditioned ? Mark::look : Mark::good, "",
         "not singular: about {:.2g} after scaling of rows and columns", e.scaled_condition);
}

void print_estimates(const Diagnosis& d, const Estimates& e) {
  const RitzValues& r = e.symmetric_part;
  const double noise = 1e-12 * std::max(std::abs(r.least), std::abs(r.most));
  const char* part = d.is_symmetric() ? "" : "symmetric part ";
  const std::string range = fmt::format("Ritz values {:.3g} to {:.3g} in {} Lanczos steps", r.least, r.most, r.steps);
  if (d.is_definite_for_sure())
    line(Mark::good, "definite", "positive definite, because strictly dominant; {}", range);
  else if (r.least < -noise && r.most > noise)
    line(Mark::look, "definite", "{}indefinite: {}", part, range);
  else
    line(Mark::good, "definite", "{}probably {}: {}", part,
         r.most <= noise   ? "negative"
         : r.least < noise ? "positive semidefinite"
                           : "positive",
         range);

  if (!e.smallest->found && can_factorise(d)) {
    if (e.is_singular) line(Mark::fault, "condition", "singular: SparseLU found a zero pivot");
    print_scaled_condition(e);
    return;
  }
  if (!e.smallest->found) {
    line(Mark::look, "condition", "at least {:.2g} (Lanczos on A^T A; {})", e.condition(),
         has_library("eigen") ? "the matrix is too large to factorise" : "this build has no Eigen for a factorisation");
    return;
  }
  line(e.is_singular || e.condition() > ill_conditioned ? Mark::look : Mark::good, "condition",
       "about {:.2g} in the 2-norm{}: singular values {:.3g} (inverse iteration with SparseLU) to {:.3g} (Lanczos)",
       e.condition(), d.has_constant_null_space() ? ", constants excluded" : "", e.smallest->sigma, e.largest);
  print_scaled_condition(e);
  if (e.is_ill_conditioned())
    line(Mark::look, "",
         "solutions lose {:.0f} of 16 digits; |b - A x| of some right-hand sides cannot fall below {:.0e} |b|",
         std::log10(e.condition()), eps * e.condition());
  if (e.is_singular || e.is_ill_conditioned())
    line(Mark::look, "null vector", "{}",
         e.constant_part > 0.999 ? "the constant vector"
                                 : fmt::format("a vector whose constant part is {:.2g}", e.constant_part));
}

void print_advice(const std::string& matrix, const Diagnosis& d, const Pivots& pivots, const Estimates& e) {
  std::vector<std::array<std::string, 2>> lines;
  const auto advise = [&](const std::string& options, const std::string& why) { lines.push_back({options, why}); };
  const auto solver = [](const std::string& name) { return "--solver " + quoted(name); };
  const bool has_pivots = d.missing_diagonal.count + d.zero_diagonal.count == 0;
  const bool is_positive = d.is_definite_for_sure() || (e.symmetric_part.least > 0);
  const bool has_ilu0 = has_pivots && pivots.bad_row < 0;
  const std::string safe = has_ilu0 ? "block_ilu0" : "jacobi";  // preconditioner that needs a diagonal
  const bool is_like_poisson = d.positive_off_diagonal.count == 0 && d.negative_diagonal.count == 0 && has_pivots;
  say("\nsuggested solvers\n");
  if (d.has_constant_null_space()) say("  (the constant null space is detected and projected out)\n");
  if (d.is_symmetric() && d.rows > 0 && e.symmetric_part.most < 0)
    say("  (the matrix is negative definite; for cg multiply A and b by -1)\n");
  if (d.is_symmetric() && (is_positive || (d.has_constant_null_space() && is_like_poisson)))
    advise(solver("cg+" + safe), "symmetric, positive");
  if (is_like_poisson && has_library("hypre"))
    advise(solver(d.is_symmetric() ? "hypre:cg+boomeramg" : "hypre:gmres+boomeramg"),
           "signs of an M-matrix: algebraic multigrid");
  if (has_pivots && !d.is_symmetric()) advise(solver("bicgstab+" + safe), "short recurrences");
  if (has_pivots) {
    advise(solver("gmres+" + safe), "monotone residual");
    advise(solver("gmres+parilut"), "if ILU(0) is too weak");
  } else {
    advise(solver("gmres"), "no pivots needed");
  }
  if (d.strictly_dominant.count == d.rows) advise(solver("fgmres+multicolor"), "dominant: parallel sweeps suffice");
  if (can_factorise(d) && !e.is_singular && !d.has_constant_null_space()) advise(solver("eigen:sparse_lu"), "direct");
  if (e.is_ill_conditioned())
    advise("--extended " + solver((d.is_symmetric() && is_positive ? "cg+" : "gmres+") + (has_pivots ? safe : "none")),
           "ill-conditioned: x in double-double precision");
  std::size_t width = 0;
  for (const auto& [options, why] : lines) width = std::max(width, options.size());
  for (const auto& [options, why] : lines) say("  weir solve {} {:<{}}   # {}\n", quoted(matrix), options, width, why);
}

int examine_one(const std::string& matrix) {
  bool was_solved = false;
  Capsule c;
  if (is_capsule(matrix)) {
    c = read_capsule(matrix);
    say("{}\nreference solver: {}\n", origin_of(c), reference_text(c));
    was_solved = c.reference.result && c.reference.result->converged();
  }
  MarketFaults faults;
  BlockCsrData A = read_system(matrix, 1, &faults);
  const BlockCsrData blocks = c.places.empty() ? BlockCsrData() : A;
  if (A.block > 1) A = scalar_rows(A);
  const Diagnosis d = diagnose(A);
  say("{}: {} rows, {} entries, {:.3g} per row ({} to {})\n\n", matrix, d.rows, d.entries,
      static_cast<double>(d.entries) / d.rows, d.shortest_row, d.longest_row);
  print_entries(d, faults);
  print_diagonal(d);
  const Pivots pivots = print_pivots(A, d);
  print_sums(d);
  print_structure(d);
  if (c.places.size() == 3 * static_cast<std::size_t>(blocks.rows())) print_aspect_ratio(c, blocks);
  if (d.not_finite) {
    say("\nThe matrix has NaN or Inf entries: correct the file first.\n");
    return static_cast<int>(Exit::check_failed);
  }
  const Estimates e = estimate(A, d);
  print_estimates(d, e);
  const bool is_singular_system =
      d.empty_rows.count || d.empty_columns.count || (e.is_singular && !d.has_constant_null_space());
  if (is_singular_system)
    say("\nThe matrix is singular: only right-hand sides in its range have a solution, which is not unique.{}\n",
        was_solved ? " The captured right-hand side is in its range: the run solved this system." : "");
  print_advice(matrix, d, pivots, e);
  return static_cast<int>((is_singular_system && !was_solved) || faults.repeated ? Exit::check_failed : Exit::finished);
}

}  // namespace

int examine_matrix(const std::string& matrix) { return for_each_system(matrix, examine_one); }

}  // namespace weir
