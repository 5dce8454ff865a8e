// Values that are not finite, unusable pivots, systems without a solution.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "solvers/diagnosis/examination.hpp"
#include "solvers/preconditioner/preconditioner.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

constexpr double largest_square = 1e150;  // squares of larger numbers overflow in long sums
constexpr double float_most = 3.4e38, float_least = 1.2e-38;

int first_not_finite(const std::vector<double>& v) {
  const auto bad = std::ranges::find_if(v, [](double e) { return !std::isfinite(e); });
  return bad == v.end() ? -1 : static_cast<int>(bad - v.begin());
}
std::string count_not_finite(const std::vector<double>& v) {
  return std::to_string(std::ranges::count_if(v, [](double e) { return !std::isfinite(e); })) + " of " +
         std::to_string(v.size());
}
double largest(const std::vector<double>& v) {
  double most = 0;
  for (const double e : v) most = std::max(most, std::abs(e));
  return most;
}

template <class Space>
std::optional<Finding> matrix_not_finite(Examination<Space>& e) {
  const BlockCsrData* A = e.rows();
  if (!A || e.diagnosis().not_finite == 0) return {};
  const int entry = first_not_finite(A->value);
  const int row = static_cast<int>(std::ranges::upper_bound(A->row_start, entry) - A->row_start.begin()) - 1;
  Finding f{Cause::matrix_not_finite, "the matrix has NaN or Inf entries, first in " + e.row(row)};
  f.measured("NaN or Inf entries", std::to_string(e.diagnosis().not_finite));
  f.measured("the first: row", e.row(row));
  f.measured("the first: column", e.row(A->column[entry])).measured("its value", A->value[entry]);
  return f.advising(e.settings().table,
                    "not a solver problem: find the source of this coefficient (state, metric, time step)");
}

template <class Space>
std::optional<Finding> right_hand_side_not_finite(Examination<Space>& e) {
  const int row = first_not_finite(e.b());
  if (row < 0) return {};
  Finding f{Cause::right_hand_side_not_finite,
            "the right-hand side has NaN or Inf, first in " + e.row(row) + "; the matrix is finite"};
  f.measured("NaN or Inf values", count_not_finite(e.b())).measured("the first: " + e.row(row), e.b()[row]);
  return f.advising(e.settings().table,
                    "not a solver problem: find the source of this value (state, source term, boundary)");
}

// If the solve did not start, x is the initial guess.
template <class Space>
std::optional<Finding> guess_not_finite(Examination<Space>& e) {
  const int row = first_not_finite(e.x());
  if (row < 0 || e.result().iterations > 0 || std::isfinite(e.result().residual0)) return {};
  Finding f{Cause::guess_not_finite, "the initial guess has NaN or Inf, first in " + e.row(row)};
  f.measured("NaN or Inf values", count_not_finite(e.x())).measured("the first: " + e.row(row), e.x()[row]);
  return f.advising(e.key("initial_guess"), "\"zero\"");
}

// With ranks, and after a separate solve, the preconditioner no longer exists: a new one is tested.
template <class Space>
std::optional<Finding> preconditioner_failed(Examination<Space>& e) {
  const PreconditionerDescription* d = find_preconditioner(e.settings().preconditioner);
  if (e.was_refused() || !d || is_made_of_defaults(*d)) return {};
  std::string complaint = e.failed.M ? e.failed.M->complaint(e.failed.b) : "";
  if (complaint.empty() && !e.failed.M) {
    const auto fresh = make_preconditioner<Space>(e.settings().preconditioner, e.settings().preconditioner_options);
    fresh->setup(*e.failed.A);
    complaint = fresh->complaint(e.failed.b);
  }
  if (complaint.empty()) return {};
  Finding f{Cause::preconditioner_failed, complaint};
  return f.advising(e.key("preconditioner.library"), "not a fault of the system: look at that call");
}

template <class Space>
std::optional<Finding> overflow(Examination<Space>& e) {
  const double b = largest(e.b()), a = e.rows() ? e.diagnosis().entry.most : 0;
  if (!e.was_refused() && e.result().reason != Reason::not_finite) return {};
  if (std::max(a, b) < largest_square) return {};
  Finding f{Cause::overflow, "overflow: the values are finite, their sums of squares are not"};
  f.measured("largest |b|", b).measured("largest |a|", a).measured("squares overflow above", 1.3e154);
  return f.advising(
      e.settings().table,
      "not a solver problem: choose units in which the state is of order one, or find the reason for its growth");
}

template <class Space>
std::optional<Finding> underflow(Examination<Space>& e) {
  constexpr double least_normal = std::numeric_limits<double>::min();
  const double b = largest(e.b());
  if (b == 0 || b >= least_normal) return {};
  Finding f{Cause::underflow, "the right-hand side is below the normal numbers of double precision: it has few digits"};
  f.measured("largest |b|", b).measured("least normal number", least_normal);
  return f.advising(e.settings().table,
                    "not a solver problem: choose units in which the right-hand side is of order one");
}

bool stores_doubles(const std::string& type, const Table& options) {
  const PreconditionerDescription* d = find_preconditioner(type);
  return !d || d->make_host(options)->traits().storage == StoredAs::float64;
}

template <class Space>
std::optional<Finding> float_range(Examination<Space>& e) {
  const bool of_basis = e.settings().krylov.basis == "float";
  const std::string& own = e.settings().preconditioner;
  if (!e.rows() || (!of_basis && stores_doubles(own, e.settings().preconditioner_options))) return {};
  const Range& entry = e.diagnosis().entry;
  const bool over = entry.most > float_most, under = entry.least < float_least;
  if (!over && !under) return {};
  KrylovOptions doubles = e.settings().krylov;
  doubles.basis = "double";
  const Trial t = of_basis
                      ? e.with_own(e.settings().method, doubles)
                      : e.with_fresh(e.settings().method, stores_doubles(own, Table()) ? own : "block_ilu0", Table());
  if (!t.works()) return {};
  Finding f{Cause::float_range,
            std::string("entries of the matrix ") + (over ? "overflow" : "underflow") + " when stored as floats"};
  f.measured("entries' magnitudes", three_digits(entry.least) + " to " + three_digits(entry.most));
  f.measured("range of floats", "1.2e-38 to 3.4e+38");
  f.measured("tried: double precision", outcome(t));
  return f.advising(e.key(of_basis ? "basis_storage" : "preconditioner.storage"), "\"double\"");
}

// Looks for a method and preconditioner without such pivots that work.
template <class Space>
bool propose_without_pivots(Examination<Space>& e, Finding& f) {
  f.key = e.key("preconditioner.type");
  for (const char* type : {"block_ilu0", "jacobi", "none"}) {
    if (type == e.settings().preconditioner) continue;
    KrylovOptions o = e.longer(4, 400);
    o.restart = std::max(o.restart, 100);
    const Trial t = e.of_rows(*e.rows(), e.b(), "gmres", o, type, Table());
    if (!t.works()) continue;
    f.change = "\"" + std::string(type) + "\" under method = \"gmres\"";
    f.measured("tried: gmres with \"" + std::string(type) + "\"", outcome(t));
    return true;
  }
  f.change = "\"none\" with gmres, with the largest restart length that memory allows";
  return false;
}

// A preconditioner that refuses names a pivot; a pivot of rounding size is blamed if another one works.
template <class Space>
std::optional<Finding> pivot(Examination<Space>& e) {
  const bool refused = e.was_refused();
  const PreconditionerDescription* own = find_preconditioner(e.settings().preconditioner);
  const DividesBy needed = own ? own->divides_by : DividesBy::nothing;
  if ((!refused && needed != DividesBy::pivots) || !e.rows()) return {};
  const Diagnosis& d = e.diagnosis();
  const int bare = d.missing_diagonal.count        ? d.missing_diagonal.first
                   : needed == DividesBy::diagonal ? d.zero_diagonal.first
                                                   : -1;
  const int bad = bare >= 0 ? bare : e.pivots().bad_row;
  if (bad < 0) return {};
  Finding f;
  if (d.missing_diagonal.count) {
    f.cause = Cause::missing_diagonal;
    f.what = "the pattern has no diagonal entry in " + e.row(bad) + ": no pivot";
    f.measured("rows without a diagonal entry", std::to_string(d.missing_diagonal.count));
  } else if (bare >= 0 || e.pivots().diagonal == 0) {
    f.cause = Cause::zero_diagonal;
    f.what = "the diagonal entry of " + e.row(bad) + " is zero";
    if (bare < 0) f.what += ", and there is no fill-in from the rows before";
    f.measured("rows with a zero on the diagonal", std::to_string(d.zero_diagonal.count));
  } else {
    f.cause = Cause::zero_pivot;
    f.what = "ILU(0) finds a zero pivot in " + e.row(bad) + ", whose diagonal entry is not zero";
    f.measured("diagonal entry", e.pivots().diagonal).measured("after elimination", e.pivots().bad_value);
  }
  if (!e.failed.refusal.empty()) f.measured("refused", e.failed.refusal);
  if (!propose_without_pivots(e, f) && !refused) return {};
  return f;
}

// Components of the matrix with zero row and column sums: the constants on each are null vectors on both sides.
struct ConstantPieces {
  std::vector<int> piece;       // of each row
  std::vector<double> rows, b;  // per component: number of rows; sum of b
  std::vector<char> singular;
  int count() const { return static_cast<int>(std::ranges::count(singular, 1)); }
};

ConstantPieces constant_pieces(const BlockCsrData& A, const BlockCsrData& T, const std::vector<double>& b) {
  ConstantPieces c;
  c.piece = pieces_of(graph_of_pattern(A, T));
  const int pieces = c.piece.empty() ? 0 : *std::ranges::max_element(c.piece) + 1;
  c.rows.assign(at(pieces), 0);
  c.b.assign(at(pieces), 0);
  c.singular.assign(at(pieces), 1);
  for (int i = 0; i < A.rows(); ++i) {
    const std::size_t p = at(c.piece[i]);
    ++c.rows[p];
    c.b[p] += b[i];
    for (const BlockCsrData* M : {&A, &T}) {
      SumOfEntries sum;
      for (auto e = M->row_start[i]; e < M->row_start[i + 1]; ++e) sum.add(M->value[e]);
      if (sum.size > 0 && sum.says() == ConstantVector::not_null) c.singular[p] = 0;
    }
  }
  return c;
}

template <class Space>
std::optional<Finding> constant_null_space(Examination<Space>& e) {
  const BlockCsrData& A = *e.rows();
  const ConstantPieces c = constant_pieces(A, e.transposed_rows(), e.b());
  const bool is_handled = c.singular.size() == 1 && e.failed.A->has_constant_null_space();
  if (c.count() == 0 || is_handled) return {};
  std::vector<double> compatible = e.b();
  double removed = 0, all = 0;
  for (std::size_t i = 0; i < compatible.size(); ++i) {
    const std::size_t p = at(c.piece[i]);
    const double mean = c.singular[p] ? c.b[p] / c.rows[p] : 0;
    all += compatible[i] * compatible[i];
    removed += mean * mean;
    compatible[i] -= mean;
  }
  Trial t = e.of_rows(A, compatible);
  if (!t.possible) t = e.of_rows(A, compatible, "gmres", e.longer(4, 400), "none", Table());
  if (!t.works()) return {};
  Finding f{Cause::null_space, "the matrix is singular (constants on " + std::to_string(c.count()) +
                                   (c.count() == 1 ? " component" : " separate components") +
                                   " are null vectors) and the right-hand side is not in its range"};
  f.measured("components, singular ones", std::to_string(c.singular.size()) + ", " + std::to_string(c.count()));
  f.measured("fraction of |b| outside the range", std::sqrt(removed / all));
  f.measured("tried: that part removed", outcome(t));
  return f.advising(c.singular.size() == 1 ? "boundary" : "boundary (or the mesh, which is not connected)",
                    "fix the level (a Dirichlet boundary or one fixed cell), balance inflow and outflow, or mark the "
                    "matrix as having a constant null space, which solvers then project out");
}

// Singular in another way: the same solver must solve b = A z, which has a solution.
template <class Space>
std::optional<Finding> other_null_space(Examination<Space>& e) {
  const Diagnosis& d = e.diagnosis();
  const bool rows_vanish = d.empty_rows.count > 0 && e.b()[d.empty_rows.first] != 0,
             sums_vanish = d.zero_row_sums.count == d.rows;
  if ((!rows_vanish && !sums_vanish) || e.failed.A->has_constant_null_space()) return {};
  std::vector<double> b(e.b().size());
  multiply(*e.rows(), e.random(3), b);
  const Trial t = e.of_rows(*e.rows(), b);
  if (!t.works()) return {};
  Finding f{
      Cause::null_space,
      rows_vanish
          ? "the matrix is singular: " + e.row(d.empty_rows.first) + " is empty, but its right-hand side is not zero"
          : "the matrix is singular (every row sums to zero) and the right-hand side is not in its range"};
  if (rows_vanish) {
    f.measured("empty rows", std::to_string(d.empty_rows.count));
    f.measured("b there", e.b()[d.empty_rows.first]);
  }
  f.measured("rows that sum to zero", std::to_string(d.zero_row_sums.count) + " of " + std::to_string(d.rows));
  f.measured("tried: a right-hand side in the range", outcome(t));
  return f.advising("boundary", "fix the level: an equation is missing");
}

template <class Space>
std::optional<Finding> null_space(Examination<Space>& e) {
  if (!e.rows() || largest(e.b()) == 0) return {};
  if (std::optional<Finding> f = constant_null_space(e)) return f;
  return other_null_space(e);
}

}  // namespace

template <class Space>
std::vector<Rule<Space>> rules_of_numbers() {
  return {matrix_not_finite<Space>, right_hand_side_not_finite<Space>,
          guess_not_finite<Space>,  preconditioner_failed<Space>,
          overflow<Space>,          underflow<Space>,
          float_range<Space>,       pivot<Space>,
          null_space<Space>};
}
template std::vector<Rule<Host>> rules_of_numbers<Host>();
template std::vector<Rule<Device>> rules_of_numbers<Device>();

}  // namespace weir
