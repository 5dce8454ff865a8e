// Class shared by both spaces.
#include "solvers/preconditioner/multicolor/multicolor.hpp"

#include <omp.h>
#include <algorithm>
#include <array>

#include "base/at.hpp"
#include "base/error.hpp"
#include "mesh/graph/colouring.hpp"
#include "mesh/graph/graph_tools.hpp"
#include "solvers/matrix/row_error.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

// The colours, the order of the rows in a sweep, and where O is stored.

// Rows are coupled where either of a_ij, a_ji is in the pattern.
Graph coupling_graph(const std::vector<std::int64_t>& row_start, const std::vector<int>& column) {
  const int rows = static_cast<int>(row_start.size()) - 1;
  std::vector<std::array<int, 2>> edges;
  edges.reserve(column.size());
  for (int i = 0; i < rows; ++i)
    for (std::int64_t e = row_start[i]; e < row_start[i + 1]; ++e)
      if (column[e] != i) edges.push_back({i, column[e]});
  return graph_of_edges(rows, edges);
}

Colouring colour(const Graph& graph, const MulticolorOptions& options) {
  if (options.colouring == "balanced") return colour_balanced(graph);
  if (options.colouring == "jones_plassmann") return colour_jones_plassmann(graph, options.seed);
  return colour_largest_first(graph);
}

}  // namespace

template <class Space, class T>
SetupInfo Multicolor<Space, T>::do_setup(const Matrix<Space>& matrix) {
  const auto& A = taken_as<BlockCsr<Space>>(matrix, "multicolor");
  rows_ = A.rows();
  block_ = A.block();
  const MulticolorPlan plan(A.row_start().to_vector(), A.column().to_vector(), A.diagonal().to_vector(), options_,
                            [this](int colours) { return tile_rows(colours); });
  passes_ = plan.passes(options_);
  piece_start_ = plan.piece_start;
  sweep_.clear();
  colours_.assign(at(plan.colours), {});
  for (int q = 0; q < plan.pieces(); ++q) {
    sweep_.push_back({plan.piece_start[q], plan.piece_start[q + 1], false});
    colours_[plan.piece_colour[q]].push_back(sweep_.back());
  }
  earlier_before_.clear();
  later_before_.clear();
  for (const int p : plan.piece_start) {
    earlier_before_.push_back(plan.start[p] - plan.start.front());
    later_before_.push_back(plan.later[p] - plan.later.front());
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
  return do_update(matrix);
}

template <class Space, class T>
SetupInfo Multicolor<Space, T>::do_update(const Matrix<Space>& matrix) {
  const auto* A = dynamic_cast<const BlockCsr<Space>*>(&matrix);
  if (!A || A->rows() != rows_ || A->block() != block_ || A->blocks() != column_.size() + rows_)
    return do_setup(matrix);
  symmetric_ = A->is_symmetric() && options_.symmetric;
  const int bad = multicolor::factorise<Space, T>(view(), A->view());
  if (bad >= 0)
    throw RowError(Exit::solver_failed, "multicolor: the diagonal block of ", bad,
                   " is singular without pivoting, or the row has NaN or Inf");
  return {.colours = colours(),
          .nnz = off_.size() + diagonal_.size(),
          .bytes = static_cast<std::int64_t>(sizeof(T)) * off_.size() + 8 * (diagonal_.size() + scale_.size()) +
                   8 * (start_.size() + later_.size() + source_.size()) + 4 * (row_.size() + column_.size())};
}

// Rows in flight: one step of each colour and one on either side.
template <class Space, class T>
int Multicolor<Space, T>::tile_rows(int colours) const {
  const std::int64_t row_bytes = 16 * std::int64_t{block_}, cache = options_.cache_bytes * omp_get_max_threads();
  if (!std::is_same_v<Space, Host> || cache == 0 || rows_ * row_bytes <= cache) return 0;
  return static_cast<int>(cache / (row_bytes * (colours + 2))) + 1;
}

template <class Space, class T>
void Multicolor<Space, T>::run(const std::vector<ColourPass>& passes, View<const double> b, View<double> x) const {
  if constexpr (std::is_same_v<Space, Host>)
    multicolor::host::run(view(), passes, b.data(), x.data());
  else
    multicolor::device::run(view(), passes, b.data(), x.data());
}

template <class Space, class T>
void Multicolor<Space, T>::apply(View<const double> r, View<double> z) const {
  run(passes_, r, z);
}

template <class Space, class T>
void Multicolor<Space, T>::sweep(View<const double> b, View<double> x) const {
  run(sweep_, b, x);
}

// Every block of the passes read once, b once, x read and written once, the integers of the pattern.
template <class Space, class T>
Work Multicolor<Space, T>::work(const std::vector<ColourPass>& passes) const {
  const std::int64_t n2 = std::int64_t{block_} * block_;
  Work work;
  for (const ColourPass& pass : passes) {
    const auto q = static_cast<std::size_t>(std::ranges::lower_bound(piece_start_, pass.from) - piece_start_.begin());
    const std::int64_t rows = pass.to - pass.from, vectors = pass.first ? 2 : 3;
    std::int64_t blocks = earlier_before_[q + 1] - earlier_before_[q];
    if (!pass.first) blocks += later_before_[q + 1] - later_before_[q];
    work += Work{static_cast<std::int64_t>(sizeof(T)) * n2 * blocks + 8 * n2 * rows + 4 * blocks +
                     (vectors * 8 * block_ + 2 * 8 + 4) * rows,
                 2 * n2 * (blocks + rows)};
  }
  return work;
}

template <class Space, class T>
Work Multicolor<Space, T>::apply_work() const {
  return work(passes_);
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
  for (const std::vector<ColourPass>& pieces : colours_)
    parts.push_back({"colour " + std::to_string(parts.size()), work(pieces),
                     [this, pieces](View<const double> r, View<double> z) { run(pieces, r, z); }});
  return parts;
}

template <class Space, class T>
MulticolorView<T> Multicolor<Space, T>::view() const {
  return {rows_,          block_,         row_.data(), start_.data(), later_.data(),
          column_.data(), source_.data(), off_.data(), scale_.data(), diagonal_.data()};
}

template <class Space, class T>
std::string Multicolor<Space, T>::describe() const {
  const char* storage = sizeof(T) == 8 ? "double" : sizeof(T) == 4 ? "float" : "bfloat16";
  return "multicolor(" + options_.colouring + (colours_.empty() ? "" : ", " + std::to_string(colours()) + " colours") +
         ", " + std::to_string(options_.sweeps) + (options_.symmetric ? " symmetric" : "") +
         (options_.sweeps == 1 ? " sweep" : " sweeps") + ", off-diagonal blocks in " + storage + ")";
}

namespace {

constexpr Option multicolor_keys[] = {
    {"sweeps", Option::integer, "2", "number of sweeps over all colours", "[1, inf)"},
    {"symmetric", Option::boolean, "false",
     "switch for an additional sweep in the reverse order of the colours after each sweep"},
    {"storage", Option::text, "float", "storage of the off-diagonal blocks; arithmetic is in double",
     "double | float | bfloat16", "", "factors, single=float"},
    {"colouring", Option::text, "largest_first",
     "colouring algorithm; largest_first: greedy by degree; balanced: greedy with colours of equal size; "
     "jones_plassmann: by random numbers",
     "largest_first | balanced | jones_plassmann"},
    {"seed", Option::integer, "1", "seed of the random numbers for colouring = \"jones_plassmann\""}};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_multicolor(const Table& options) {
  const Table t = options.described_by(multicolor_keys);
  MulticolorOptions o;
  read_keys(t, "sweeps", o.sweeps, "symmetric", o.symmetric, "colouring", o.colouring);
  o.seed = static_cast<std::uint64_t>(t.get<int>("seed"));
  const auto storage = t.get<std::string>("storage");
  if (storage == "double") return std::make_unique<Multicolor<Space, double>>(o);
  if (storage == "bfloat16") return std::make_unique<Multicolor<Space, Bfloat16>>(o);
  return std::make_unique<Multicolor<Space, float>>(o);
}

double multicolor_bytes(const Table& options, const MatrixSize& A) {
  const auto storage = options.described_by(multicolor_keys).get<std::string>("storage");
  const double beside = A.blocks - A.rows, value = storage == "double" ? 8 : storage == "float" ? 4 : 2;
  return value * A.entries(beside) + 8 * A.entries(A.rows) + 12 * beside + 20 * A.rows;
}

}  // namespace

constexpr PreconditionerDescription preconditioner::multicolor{
    .name = "multicolor",
    .meaning = "point-implicit Gauss-Seidel sweeps, colour by colour",
    .citation = "Zubair, Nielsen, Luitjens & Hammond 2016",
    .options = multicolor_keys,
    .matrices = on_block_csr,
    .over_ranks = 0,
    .update_cost = 2,
    .divides_by = DividesBy::diagonal,
    .tried_with = "fgmres",
    .bytes = multicolor_bytes,
    .make_host = make_multicolor<Host>,
    .make_device = make_multicolor<Device>};

template class Multicolor<Host, double>;
template class Multicolor<Host, float>;
template class Multicolor<Host, Bfloat16>;
template class Multicolor<Device, double>;
template class Multicolor<Device, float>;
template class Multicolor<Device, Bfloat16>;

MulticolorPlan::MulticolorPlan(const std::vector<std::int64_t>& row_start, const std::vector<int>& column_of,
                               const std::vector<std::int64_t>& diagonal, const MulticolorOptions& options,
                               const std::function<int(int)>& tile) {
  const int rows = static_cast<int>(row_start.size()) - 1;
  for (int i = 0; i < rows; ++i)
    if (diagonal[i] < 0)
      throw Error(Exit::usage, "multicolor: block row " + std::to_string(i) + " has no diagonal block");
  const Graph graph = coupling_graph(row_start, column_of);
  const Colouring colouring = colour(graph, options);
  colours = colouring.colours;
  ColourWavefront wave = colour_wavefront(graph, colouring, tile(colours));
  row = std::move(wave.order);
  piece_start = std::move(wave.start);
  piece_colour = std::move(wave.colour);

  source.reserve(column_of.size());
  for (const bool are_later : {false, true}) {
    if (are_later) later = {start.back()};
    for (const int i : row) {
      for (std::int64_t e = row_start[i]; e < row_start[i + 1]; ++e)
        if (e != diagonal[i] && (colouring.colour[column_of[e]] > colouring.colour[i]) == are_later) {
          source.push_back(e);
          column.push_back(column_of[e]);
        }
      (are_later ? later : start).push_back(static_cast<std::int64_t>(source.size()));
    }
  }
}

// Passes that would only repeat the values of the pass before are left out: after a sweep the last colour already fits
// all others, and a sweep back begins with the colour before it. The reversed order of a sweep is the order of a sweep
// back.
std::vector<ColourPass> MulticolorPlan::passes(const MulticolorOptions& options) const {
  std::vector<ColourPass> passes;
  const auto add = [&](int q, int skipped, bool first) {
    if (piece_colour[q] != skipped) passes.push_back({piece_start[q], piece_start[q + 1], first});
  };
  for (int s = 0; s < options.sweeps; ++s) {
    for (int q = 0; q < pieces(); ++q) add(q, s > 0 && options.symmetric ? 0 : -1, s == 0);
    for (int q = pieces() - 1; options.symmetric && q >= 0; --q) add(q, colours - 1, false);
  }
  return passes;
}

}  // namespace weir
