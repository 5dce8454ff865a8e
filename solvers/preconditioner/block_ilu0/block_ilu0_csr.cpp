// Symbolic part, on the host for both spaces.
#include "solvers/preconditioner/block_ilu0/block_ilu0_csr.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/error.hpp"
#include "solvers/matrix/row_error.hpp"

namespace weir::block_ilu0 {

template <class Space>
CsrPattern::CsrPattern(const BlockSparse<Space>& A, bool only_lines)
    : diagonal(A.diagonal().to_vector()), column(A.column().to_vector()) {
  const std::vector<std::int64_t> start = A.row_start().to_vector();
  std::vector<bool> after(at(A.rows()), !only_lines);  // row i is coupled to row i - 1
  for (const RowRange& line : A.lines())
    if (only_lines) std::fill_n(after.begin() + line.first + 1, line.count - 1, true);
  for (int i = 0; i < A.rows(); ++i) {
    const std::int64_t d = diagonal[i];
    std::int64_t from = start[i], to = start[i + 1];
    if (d < 0)
      throw Error(Exit::usage, "block ILU(0): block row " + std::to_string(i) + " has no diagonal block" +
                                   (from == to ? " (the row is empty)" : ""));
    if (only_lines) {
      const bool on = i + 1 < A.rows() && after[i + 1];
      from = after[i] && d > from && column[d - 1] == i - 1 ? d - 1 : d;
      to = on && d + 1 < to && column[d + 1] == i + 1 ? d + 2 : d + 1;
      if (from == d) cuts.push_back(i);
    }
    first.push_back(from);
    end.push_back(to);
    lower.column.insert(lower.column.end(), column.begin() + from, column.begin() + d);
    upper.column.insert(upper.column.end(), column.begin() + d + 1, column.begin() + to);
    lower.start.push_back(static_cast<std::int64_t>(lower.column.size()));
    upper.start.push_back(static_cast<std::int64_t>(upper.column.size()));
    longest = std::max(longest, static_cast<int>(to - from));
  }
}

// Row i minus E_ik times row k: both have ascending columns and are merged.
void CsrPattern::find_matches(const std::vector<std::int64_t>& upper_start, std::vector<std::int64_t>& match_start,
                              std::vector<Match>& match) const {
  match_start.assign(1, 0);
  for (int i = 0; i < lower.rows(); ++i) {
    for (std::int64_t e = first[i]; e < diagonal[i]; ++e) {
      const int k = column[e];
      std::int64_t to = e + 1;
      for (std::int64_t u = upper.first(k); u < upper.end(k) && to < end[i]; ++u) {
        while (to < end[i] && column[to] < upper.column[u]) ++to;
        if (to < end[i] && column[to] == upper.column[u])
          match.push_back({static_cast<int>(upper_start[k] + u - upper.first(k)), static_cast<int>(to - first[i])});
      }
      match_start.push_back(static_cast<std::int64_t>(match.size()));
    }
  }
}

template CsrPattern::CsrPattern(const BlockSparse<Host>&, bool);
template CsrPattern::CsrPattern(const BlockSparse<Device>&, bool);

}  // namespace weir::block_ilu0

namespace weir {
namespace {

// Error for a matrix whose factorisation failed at this row.
template <class Space>
[[noreturn]] void fail_at_row(const BlockSparse<Space>& A, int row, const BlockIluOptions& options) {
  const std::string name = options.only_lines ? "line" : "block_ilu0";
  const std::vector<double> values = A.to_values();
  const std::vector<std::int64_t> start = A.row_start().to_vector();
  const std::int64_t nn = std::int64_t{A.block()} * A.block();
  for (int i = 0; i < A.rows(); ++i)
    if (!std::all_of(values.begin() + start[i] * nn, values.begin() + start[i + 1] * nn,
                     [](double v) { return std::isfinite(v); }))
      throw RowError(Exit::not_finite, name + ": the matrix has NaN or Inf in ", i, "");
  throw RowError(
      Exit::solver_failed, name + ": the diagonal block of ", row,
      std::string(" became singular in the factorisation") + (options.pivoting ? "" : "; pivoting = true may help"));
}

}  // namespace

template <class Space, class T>
CsrIlu0<Space, T>::CsrIlu0(const BlockSparse<Space>& A, const BlockIluOptions& options)
    : CsrIlu0(A, block_ilu0::CsrPattern(A, options.only_lines), options) {}

template <class Space, class T>
CsrIlu0<Space, T>::CsrIlu0(const BlockSparse<Space>& A, const block_ilu0::CsrPattern& pattern,
                           const BlockIluOptions& options)
    : options_(options),
      threads_(useful_threads()),
      rows_(pattern.lower.rows()),
      block_(A.block()),
      lines_(static_cast<int>(A.lines().size())),
      lower_blocks_(static_cast<std::int64_t>(pattern.lower.column.size())),
      upper_blocks_(static_cast<std::int64_t>(pattern.upper.column.size())),
      blocks_(A.blocks()),
      nnz_((rows_ + lower_blocks_ + upper_blocks_) * block_ * block_),
      lower_(pattern.lower, Triangle::lower, block_, {.cuts = pattern.cuts}),
      upper_(pattern.upper, Triangle::upper, block_, {.cuts = pattern.cuts}),
      inverted_(std::int64_t{rows_} * block_ * block_),
      lower_first_(pattern.lower.start),
      upper_position_(upper_.positions()),
      in_order_(lower_, block_, pattern.longest) {
  std::vector<std::int64_t> by_position(at(rows_)), by_row(by_position), match_start;
  const std::vector<int> position = upper_.positions();
  for (int i = 0; i < rows_; ++i) by_position[position[i]] = pattern.upper.end(i) - pattern.upper.first(i);
  std::int64_t next = 0;
  for (std::int64_t& s : by_position) next += std::exchange(s, next);
  for (int i = 0; i < rows_; ++i) by_row[i] = by_position[position[i]];
  std::vector<block_ilu0::Match> match;
  pattern.find_matches(by_row, match_start, match);
  match_start_ = Array<std::int64_t, Space>(match_start);
  match_ = Array<block_ilu0::Match, Space>(match);
  work_ = Array<double, Space>(std::is_same_v<Space, Host>
                                   ? std::int64_t{threads_} * (pattern.longest + 1) * block_ * block_
                                   : std::int64_t{rows_} * block_);
}

template <class Space, class T>
bool CsrIlu0<Space, T>::fit(const Matrix<Space>& matrix) const {
  const auto* A = dynamic_cast<const BlockSparse<Space>*>(&matrix);
  return A && A->rows() == rows_ && A->block() == block_ && A->blocks() == blocks_ &&
         (std::is_same_v<Space, Device> || useful_threads() == threads_);
}

template <class Space, class T>
SetupInfo CsrIlu0<Space, T>::info() const {
  return {.levels = lower_.levels(),
          .nnz = nnz_,
          .bytes = lower_.bytes() + upper_.bytes() + inverted_.size() * static_cast<std::int64_t>(sizeof(T)) +
                   8 * (lower_first_.size() + match_start_.size() + match_.size() + work_.size()) +
                   4 * upper_position_.size() + in_order_.bytes()};
}

template <class Space, class T>
std::string CsrIlu0<Space, T>::order() const {
  return options_.only_lines ? std::to_string(lines_) + " lines" : "order of the rows, by levels";
}

template <class Space, class T>
Work CsrIlu0<Space, T>::solve_work() const {
  return work_of_sweeps(rows_, block_, lower_blocks_ + upper_blocks_, sizeof(T));
}

// A read once, the factors written once, places of the products; a product, a division by d or an inversion is n^3
// multiply-adds.
template <class Space, class T>
Work CsrIlu0<Space, T>::factorise_work() const {
  const std::int64_t n3 = std::int64_t{block_} * block_ * block_;
  return {(8 + static_cast<std::int64_t>(sizeof(T))) * nnz_ + 4 * (lower_blocks_ + upper_blocks_) + 8 * match_.size() +
              24 * std::int64_t{rows_},
          2 * n3 * (match_.size() + lower_blocks_ + upper_blocks_ + rows_)};
}

template <class Space, class T>
std::vector<PartOfApply<Space>> CsrIlu0<Space, T>::parts() {
  const std::int64_t n2 = std::int64_t{block_} * block_, vectors = (2 * 8 * block_ + 8 + 4) * std::int64_t{rows_},
                     value = sizeof(T);
  const std::int64_t lower = (lower_blocks_ + rows_) * n2, upper = upper_blocks_ * n2;
  return {{"lower sweep",
           {value * lower + 4 * lower_blocks_ + vectors, 2 * lower},
           [this](View<const double> r, View<double> z) { lower_.solve(inverted_.data(), r.data(), z.data()); }},
          {"upper sweep",
           {value * upper + 4 * upper_blocks_ + vectors, 2 * upper},
           [this](View<const double> r, View<double> z) { upper_.solve(nullptr, r.data(), z.data()); }}};
}

template <class Space, class T>
void CsrIlu0<Space, T>::factorise(const Matrix<Space>& matrix) {
  const auto& A = dynamic_cast<const BlockSparse<Space>&>(matrix);
  const FailedCell row = with_view(A, [&]<class V>(const CsrView<V>& view) {
    return factorise(block_ilu0::CsrFactors<T, V>{view, lower_.view(), upper_.view(), inverted_.data(),
                                                  lower_first_.data(), upper_position_.data(), match_start_.data(),
                                                  match_.data(), options_.pivoting});
  });
  if (row >= 0) fail_at_row(A, row, options_);
}

template <class Space, class T>
void CsrIlu0<Space, T>::solve(std::span<const OneOfMany> vectors) {
  if constexpr (std::is_same_v<Space, Host>) {
    lower_.solve(inverted_.data(), vectors);
    std::vector<OneOfMany> in_place;
    for (const OneOfMany& v : vectors) in_place.push_back({v.x, v.x});
    upper_.solve(nullptr, in_place);
  } else {
    IluFactors<Space>::solve(vectors);
  }
}

template <class Space, class T>
std::vector<double> CsrIlu0<Space, T>::inverted_diagonals() const {
  const std::vector<T> stored = inverted_.to_vector();
  const std::vector<int> position = lower_.positions();
  const std::int64_t nn = std::int64_t{block_} * block_;
  std::vector<double> by_row(stored.size());
  for (int i = 0; i < rows_; ++i) std::copy_n(stored.begin() + position[i] * nn, nn, by_row.begin() + i * nn);
  return by_row;
}

template class CsrIlu0<Host, double>;
template class CsrIlu0<Host, float>;
template class CsrIlu0<Device, double>;
template class CsrIlu0<Device, float>;

}  // namespace weir
