// The colours and the order of the rows, and the class that both spaces share.
#include "solvers/preconditioner/multicolor.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "mesh/ordering/colouring.hpp"
#include "mesh/ordering/graph_tools.hpp"
#include "solvers/timer.hpp"

namespace weir {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// Rows are coupled where either of a_ij, a_ji is in the pattern.
Graph coupling_graph(const std::vector<std::int64_t>& row_start, const std::vector<int>& column) {
  const int rows = static_cast<int>(row_start.size()) - 1;
  std::vector<std::array<int, 2>> edges;
  edges.reserve(column.size());
  for (int i = 0; i < rows; ++i)
    for (std::int64_t e = row_start[at(i)]; e < row_start[at(i) + 1]; ++e)
      if (column[at(e)] != i) edges.push_back({i, column[at(e)]});
  return graph_of_edges(rows, edges);
}

Colouring colour(const Graph& graph, const MulticolorOptions& options) {
  if (options.colouring == "balanced") return colour_balanced(graph);
  if (options.colouring == "jones_plassmann") return colour_jones_plassmann(graph, options.seed);
  return colour_largest_first(graph);
}

}  // namespace

MulticolorPlan::MulticolorPlan(const std::vector<std::int64_t>& row_start, const std::vector<int>& column_of,
                               const std::vector<std::int64_t>& diagonal, const MulticolorOptions& options) {
  const int rows = static_cast<int>(row_start.size()) - 1;
  for (int i = 0; i < rows; ++i)
    if (diagonal[at(i)] < 0)
      throw Error(Exit::usage, "multicolor: block row " + std::to_string(i) + " has no diagonal block");
  const Colouring colouring = colour(coupling_graph(row_start, column_of), options);
  Order natural(at(rows));
  std::iota(natural.begin(), natural.end(), 0);
  row = sorted_by_class(natural, colouring.colour, colouring.colours, &colour_start);

  source.reserve(column_of.size());
  for (const bool are_later : {false, true}) {
    if (are_later) later = {start.back()};
    for (const int i : row) {
      for (std::int64_t e = row_start[at(i)]; e < row_start[at(i) + 1]; ++e)
        if (e != diagonal[at(i)] && (colouring.colour[at(column_of[at(e)])] > colouring.colour[at(i)]) == are_later) {
          source.push_back(e);
          column.push_back(column_of[at(e)]);
        }
      (are_later ? later : start).push_back(static_cast<std::int64_t>(source.size()));
    }
  }
}

// What would only repeat the values of the pass before it is left out: after a sweep the last colour already fits all
// others, and a sweep back begins with the one before it.
std::vector<ColourPass> MulticolorPlan::passes(const MulticolorOptions& options) const {
  std::vector<ColourPass> passes;
  const auto add = [&](int k, bool first) { passes.push_back({colour_start[at(k)], colour_start[at(k) + 1], first}); };
  for (int s = 0; s < options.sweeps; ++s) {
    for (int k = s > 0 && options.symmetric ? 1 : 0; k < colours(); ++k) add(k, s == 0);
    for (int k = colours() - 2; options.symmetric && k >= 0; --k) add(k, false);
  }
  return passes;
}

template <class Space, class T>
SetupInfo Multicolor<Space, T>::setup(const Matrix<Space>& matrix) {
  const auto* A = dynamic_cast<const BlockCsr<Space>*>(&matrix);
  if (!A)
    throw Error(Exit::usage, "multicolor works on block sparse rows (block CSR); this system is stored otherwise");
  double seconds = 0;
  {
    ScopedTimer timer(seconds);
    rows_ = A->rows();
    block_ = A->block();
    const MulticolorPlan plan(A->row_start().to_vector(), A->column().to_vector(), A->diagonal().to_vector(), options_);
    passes_ = plan.passes(options_);
    colour_start_ = plan.colour_start;
    earlier_before_.clear();
    later_before_.clear();
    for (const int p : plan.colour_start) {
      earlier_before_.push_back(plan.start[at(p)] - plan.start.front());
      later_before_.push_back(plan.later[at(p)] - plan.later.front());
    }
    row_ = Array<int, Space>(plan.row);
    column_ = Array<int, Space>(plan.column);
    start_ = Array<std::int64_t, Space>(plan.start);
    later_ = Array<std::int64_t, Space>(plan.later);
    source_ = Array<std::int64_t, Space>(plan.source);
    const std::int64_t entries = std::int64_t{block_} * block_;
    off_ = Array<T, Space>(entries * column_.size());
    diagonal_ = Array<double, Space>(entries * rows_);
    if constexpr (std::is_same_v<T, Bfloat16>) scale_ = Array<double, Space>(rows_);
  }
  SetupInfo info = update(matrix);
  info.seconds += seconds;
  return info;
}

template <class Space, class T>
SetupInfo Multicolor<Space, T>::update(const Matrix<Space>& matrix) {
  const auto* A = dynamic_cast<const BlockCsr<Space>*>(&matrix);
  if (!A || A->rows() != rows_ || A->block() != block_ || A->blocks() != column_.size() + rows_) return setup(matrix);
  SetupInfo info;
  {
    ScopedTimer timer(info.seconds);
    symmetric_ = A->is_symmetric() && options_.symmetric;
    const int bad = multicolor::factorise<Space, T>(view(), A->view());
    if (bad >= 0)
      throw Error(Exit::solver_failed, "multicolor: the diagonal block of block row " + std::to_string(bad) +
                                           " is singular without pivoting, or the row is not finite");
  }
  info.colours = colours();
  info.nnz = off_.size() + diagonal_.size();
  info.bytes = static_cast<std::int64_t>(sizeof(T)) * off_.size() + 8 * (diagonal_.size() + scale_.size()) +
               8 * (start_.size() + later_.size() + source_.size()) + 4 * (row_.size() + column_.size());
  return info;
}

template <class Space, class T>
void Multicolor<Space, T>::run_all(const std::vector<ColourPass>& passes, const double* b, double* x) const {
  if constexpr (std::is_same_v<Space, Host>)
    multicolor::host::run(view(), passes, b, x);
  else
    multicolor::device::run(view(), passes, b, x, options_.warps_per_row);
}

template <class Space, class T>
void Multicolor<Space, T>::apply(View<const double> r, View<double> z) const {
  run_all(passes_, r.data(), z.data());
}

template <class Space, class T>
std::vector<ColourPass> Multicolor<Space, T>::whole_sweep() const {
  std::vector<ColourPass> passes;
  for (int k = 0; k < colours(); ++k) passes.push_back({colour_start_[at(k)], colour_start_[at(k) + 1], false});
  return passes;
}

template <class Space, class T>
void Multicolor<Space, T>::sweep(View<const double> b, View<double> x) const {
  run_all(whole_sweep(), b.data(), x.data());
}

template <class Space, class T>
void Multicolor<Space, T>::run(const ColourPass& pass, View<const double> b, View<double> x) const {
  run_all({pass}, b.data(), x.data());
}

template <class Space, class T>
std::vector<int> Multicolor<Space, T>::colour_rows() const {
  std::vector<int> rows;
  for (int k = 0; k < colours(); ++k) rows.push_back(colour_start_[at(k) + 1] - colour_start_[at(k)]);
  return rows;
}

// Every block once, b once, x read once and written once, the integers of the pattern.
template <class Space, class T>
Work Multicolor<Space, T>::sweep_work() const {
  return {static_cast<std::int64_t>(sizeof(T)) * off_.size() + 8 * diagonal_.size() + 4 * column_.size() +
              (3 * 8 * block_ + 2 * 8 + 4) * std::int64_t{rows_},
          2 * (off_.size() + diagonal_.size())};
}

// Of one colour: as sweep_work, but of the blocks that this pass reads.
template <class Space, class T>
Work Multicolor<Space, T>::pass_work(const ColourPass& pass) const {
  const auto k = static_cast<std::size_t>(std::lower_bound(colour_start_.begin(), colour_start_.end(), pass.from) -
                                          colour_start_.begin());
  const std::int64_t rows = pass.to - pass.from, n2 = std::int64_t{block_} * block_;
  std::int64_t blocks = earlier_before_[k + 1] - earlier_before_[k];
  if (!pass.first) blocks += later_before_[k + 1] - later_before_[k];
  const std::int64_t vectors = pass.first ? 2 : 3;
  return {static_cast<std::int64_t>(sizeof(T)) * n2 * blocks + 8 * n2 * rows + 4 * blocks +
              (vectors * 8 * block_ + 2 * 8 + 4) * rows,
          2 * n2 * (blocks + rows)};
}

template <class Space, class T>
Work Multicolor<Space, T>::apply_work() const {
  Work work;
  for (const ColourPass& pass : passes_) work += pass_work(pass);
  return work;
}

// O read in double and written as T, D read and written, its blocks inverted or factorised.
template <class Space, class T>
Work Multicolor<Space, T>::update_work() const {
  const std::int64_t factor = std::is_same_v<Space, Host> ? 2 : 1;  // D^-1, or LU alone: 2/3 of n^3, rounded up to 1
  return {(8 + static_cast<std::int64_t>(sizeof(T))) * off_.size() + 16 * diagonal_.size() + 8 * source_.size(),
          factor * diagonal_.size() * block_};
}

template <class Space, class T>
std::vector<PartOfApply<Space>> Multicolor<Space, T>::parts() const {
  std::vector<PartOfApply<Space>> parts;
  for (const ColourPass& pass : whole_sweep())
    parts.push_back({"colour " + std::to_string(parts.size()), pass_work(pass),
                     [this, pass](View<const double> r, View<double> z) { run(pass, r, z); }});
  return parts;
}

template <class Space, class T>
MulticolorView<T> Multicolor<Space, T>::view() const {
  MulticolorView<T> m;
  m.rows = rows_;
  m.n = block_;
  m.row = row_.data();
  m.start = start_.data();
  m.later = later_.data();
  m.column = column_.data();
  m.source = source_.data();
  m.off = off_.data();
  m.scale = scale_.data();
  m.diagonal = diagonal_.data();
  return m;
}

template <class Space, class T>
std::string Multicolor<Space, T>::describe() const {
  const char* storage = sizeof(T) == 8 ? "double" : sizeof(T) == 4 ? "float" : "bfloat16";
  return "multicolor(" + options_.colouring +
         (colour_start_.empty() ? "" : ", " + std::to_string(colours()) + " colours") + ", " +
         std::to_string(options_.sweeps) + (options_.symmetric ? " symmetric" : "") +
         (options_.sweeps == 1 ? " sweep" : " sweeps") + ", off-diagonal blocks in " + storage + ")";
}

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_multicolor(const Table& options) {
  MulticolorOptions o;
  o.sweeps = options.get("sweeps", o.sweeps);
  if (o.sweeps < 1) options.fail("sweeps", "multicolor needs at least one sweep");
  o.symmetric = options.get("symmetric", o.symmetric);
  o.colouring = options.choice("colouring", {"largest_first", "balanced", "jones_plassmann"}, o.colouring);
  o.seed = static_cast<std::uint64_t>(options.get("seed", 1));
  const std::string storage = options.choice("storage", {"float", "double", "bfloat16"}, "float");
  if (storage == "double") return std::make_unique<Multicolor<Space, double>>(o);
  if (storage == "bfloat16") return std::make_unique<Multicolor<Space, Bfloat16>>(o);
  return std::make_unique<Multicolor<Space, float>>(o);
}

template class Multicolor<Host, double>;
template class Multicolor<Host, float>;
template class Multicolor<Host, Bfloat16>;
template class Multicolor<Device, double>;
template class Multicolor<Device, float>;
template class Multicolor<Device, Bfloat16>;
template std::unique_ptr<Preconditioner<Host>> make_multicolor<Host>(const Table&);
template std::unique_ptr<Preconditioner<Device>> make_multicolor<Device>(const Table&);

}  // namespace weir
