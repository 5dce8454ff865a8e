// Symbolic part of async_ilu0 and async_block_ilu0.
#include <algorithm>
#include <string>

#include "base/at.hpp"
#include "base/error.hpp"
#include "solvers/preconditioner/async_ilu/async_ilu.hpp"

namespace weir::async_ilu {

template <class Space>
AsyncPattern::AsyncPattern(const BlockCsr<Space>& A, bool scalar)
    : rows(scalar ? A.size() : A.rows()), n(scalar ? 1 : A.block()) {
  const std::vector<std::int64_t> start = A.row_start().to_vector(), diagonal = A.diagonal().to_vector();
  const std::vector<int> column = A.column().to_vector();
  const int B = A.block();
  std::vector<int> columns;
  std::vector<std::int64_t> sources;
  for (int i = 0; i < A.rows(); ++i) {
    if (diagonal[i] < 0)
      throw Error(Exit::usage, "asynchronous ILU(0): block row " + std::to_string(i) + " has no diagonal block" +
                                   (start[i] == start[i + 1] ? " (the row is empty)" : ""));
    for (int r = 0; r < (scalar ? B : 1); ++r) {
      columns.clear();
      sources.clear();
      for (std::int64_t e = start[i]; e < start[i + 1]; ++e)
        for (int c = 0; c < (scalar ? B : 1); ++c) {
          columns.push_back(scalar ? column[e] * B + c : column[e]);
          sources.push_back(e * B * B + r * B + c);
        }
      add_entries(scalar ? i * B + r : i, columns, sources);
    }
  }
  find_products();
}

void AsyncPattern::add_entries(int row, const std::vector<int>& column, const std::vector<std::int64_t>& source) {
  for (std::size_t e = 0; e < column.size(); ++e) {
    EntryLists& of = column[e] < row ? lower : column[e] > row ? upper : diagonal;
    of.column.push_back(column[e]);
    of.source.push_back(source[e]);
  }
  for (EntryLists* of : {&lower, &diagonal, &upper}) of->start.push_back(static_cast<std::int64_t>(of->column.size()));
}

// Row by row: where[j] is the target (i, j) of the current row, numbered lower, diagonal, upper; its products are
// collected in ascending k.
void AsyncPattern::find_products() {
  std::vector<int> where(at(rows), -1);
  std::vector<std::vector<Product>> of;
  std::vector<Product> of_kind[3];  // lower, diagonal, upper
  EntryLists* const kinds[] = {&lower, &diagonal, &upper};
  std::vector<int> columns, kind;  // targets of a row
  for (int i = 0; i < rows; ++i) {
    columns.clear();
    kind.clear();
    for (int k = 0; k < 3; ++k)
      for (std::int64_t e = kinds[k]->start[i]; e < kinds[k]->start[i + 1]; ++e) {
        columns.push_back(kinds[k]->column[e]);
        kind.push_back(k);
      }
    of.resize(std::max(of.size(), columns.size()));
    for (std::size_t t = 0; t < columns.size(); ++t) {
      of[t].clear();
      where[columns[t]] = static_cast<int>(t);
    }
    for (std::int64_t l = lower.start[i]; l < lower.start[i + 1]; ++l) {
      const int k = lower.column[l];
      for (std::int64_t u = upper.start[k]; u < upper.start[k + 1]; ++u)
        if (const int t = where[upper.column[u]]; t >= 0) of[t].push_back({static_cast<int>(l), static_cast<int>(u)});
    }
    for (std::size_t t = 0; t < columns.size(); ++t) {
      std::vector<Product>& all = of_kind[kind[t]];
      all.insert(all.end(), of[t].begin(), of[t].end());
      kinds[kind[t]]->products.push_back(static_cast<std::int64_t>(all.size()));
      where[columns[t]] = -1;
    }
  }
  for (int k = 0; k < 3; ++k) {  // one list
    for (std::int64_t& e : kinds[k]->products) e += static_cast<std::int64_t>(product.size());
    product.insert(product.end(), of_kind[k].begin(), of_kind[k].end());
  }
}

template AsyncPattern::AsyncPattern(const BlockCsr<Host>&, bool);
template AsyncPattern::AsyncPattern(const BlockCsr<Device>&, bool);

}  // namespace weir::async_ilu

namespace weir {
namespace {

// Values for the solver diagnostics and the roofline.

// Rows of the entries gathered into block rows, `each` rows per block row.
std::vector<double> gathered(const std::vector<double>& rows, int each, bool adds_up) {
  if (each == 1) return rows;
  std::vector<double> blocks(rows.size() / at(each), 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double& block = blocks[i / at(each)];
    block = adds_up ? block + rows[i] : std::max(block, rows[i]);
  }
  return blocks;
}

}  // namespace

// Forward, a sequential sweep reads values of this sweep from every row before; backward, from every row after.
template <class Space>
std::vector<double> AsyncFactors<Space>::stale_reads() const {
  const std::vector<std::int64_t> lower = lower_.start.to_vector(), upper = upper_.start.to_vector();
  const std::vector<int> lower_column = lower_.column.to_vector(), upper_column = upper_.column.to_vector();
  const int last = options_.apply_sweeps - 1;
  const auto is_stale = [&](int reader, int source) {  // positions in the order of the loop
    return schedule_.sweep_read(last, schedule_.step_of(reader), reader, source) < last;
  };
  std::vector<double> part(at(work_rows_), 0.0);
  for (int i = 0; i < work_rows_; ++i) {
    int stale = 0;
    for (std::int64_t e = lower[i]; e < lower[i + 1]; ++e) stale += is_stale(i, lower_column[e]);
    for (std::int64_t e = upper[i]; e < upper[i + 1]; ++e)
      stale += is_stale(work_rows_ - 1 - i, work_rows_ - 1 - upper_column[e]);
    const std::int64_t reads = lower[i + 1] - lower[i] + upper[i + 1] - upper[i];
    if (reads > 0) part[i] = static_cast<double>(stale) / static_cast<double>(reads);
  }
  return part;
}

template <class Space>
std::vector<double> AsyncFactors<Space>::count_stale_reads() {
  const std::vector<double> r(at(size_), 1.0);  // any right-hand side
  std::vector<double> z(at(size_)), stale(at(work_rows_));
  std::vector<int> stamp(at(work_rows_));
  async_ilu::count_stale_reads_host(view(nullptr, slot_), options_.apply_sweeps, options_.chunk, r.data(), y_.data(),
                                    z.data(), stamp.data(), stale.data());
  return stale;
}

template <class Space>
FactorObservation AsyncFactors<Space>::measured(const BlockCsr<Space>& A) {
  Array<double, Space> fixed(work_rows_), lower(work_rows_), upper(work_rows_);
  async_ilu::measure_rows<Space>(view(&A, slot_), fixed.data(), lower.data(), upper.data());
  const int each = options_.scalar ? n_ : 1;
  FactorObservation o;
  o.fixed_point = gathered(fixed.to_vector(), each, true);
  o.dominance_L = gathered(lower.to_vector(), each, false);
  o.dominance_U = gathered(upper.to_vector(), each, false);
  return o;
}

template <class Space>
FactorObservation AsyncFactors<Space>::observe(const BlockCsr<Space>& A) {
  FactorObservation o = measured(A);
  const int each = options_.scalar ? n_ : 1;
  if (options_.prescribed)
    o.stale_reads = gathered(stale_reads(), each, false);
  else if (std::is_same_v<Space, Host>)
    o.stale_reads = gathered(count_stale_reads(), each, false);
  return o;
}

// Each sweep reads its half of the factors with the pattern and its right-hand side, and writes its unknowns; from the
// second sweep on it reads them too.
template <class Space>
Work AsyncFactors<Space>::solve_work() const {
  const std::int64_t sweeps = options_.apply_sweeps, beside = lower_.count() + upper_.count();
  const std::int64_t values = (beside + work_rows_) * b_ * b_, unknowns = std::int64_t{b_} * work_rows_;
  Work work{
      sweeps * (8 * values + 4 * beside + 2 * 8 * work_rows_ + 4 * 8 * unknowns) + (sweeps - 1) * 2 * 8 * unknowns,
      sweeps * 2 * values};
  if (scale_.size() > 0) work += {2 * 8 * unknowns, 2 * unknowns};
  return work;
}

// Each sweep reads A, writes the factors, and reads positions in A, products and columns of L.
template <class Space>
Work AsyncFactors<Space>::build_work() const {
  const std::int64_t sweeps = options_.build_sweeps, lower = lower_.count();
  const std::int64_t entries = lower + upper_.count() + work_rows_, bb = std::int64_t{b_} * b_;
  const std::int64_t products = product_.size();
  return {sweeps * (2 * 8 * entries * bb + 2 * 8 * entries + 8 * products + 4 * lower + 2 * 8 * work_rows_),
          sweeps * 2 * bb * b_ * (products + lower + work_rows_)};
}

template Work AsyncFactors<Host>::solve_work() const;
template Work AsyncFactors<Device>::solve_work() const;
template Work AsyncFactors<Host>::build_work() const;
template Work AsyncFactors<Device>::build_work() const;
template FactorObservation AsyncFactors<Host>::measured(const BlockCsr<Host>&);
template FactorObservation AsyncFactors<Device>::measured(const BlockCsr<Device>&);
template FactorObservation AsyncFactors<Host>::observe(const BlockCsr<Host>&);
template FactorObservation AsyncFactors<Device>::observe(const BlockCsr<Device>&);

}  // namespace weir
