// Level schedules and their distribution over host threads.
#include "solvers/matrix/algorithms/triangular.hpp"

#include <algorithm>
#include <numeric>

#include "base/at.hpp"
#include "base/buckets.hpp"
#include "base/error.hpp"

namespace weir {
namespace {

// A sweep uses more than one thread from this number of block values on.
constexpr std::int64_t shared_sweep = 1 << 16;
// Nanoseconds: per value of a block in the last-level cache; latency of a store by another core.
constexpr double value_time = 0.1, wait_time = 100;
// A level is shared between threads from this number of values on.
constexpr std::int64_t shared_level = 1024;
// Several threads are used if the simulated time falls to this fraction, and levels only if they beat layers by this
// factor: in a level, neighbouring rows share cache lines of x with other threads, which is not simulated.
constexpr double worthwhile = 0.85, much_better = 0.7;

std::int64_t weight(const TriangularRows& rows, int i, int block) {
  return (1 + rows.end(i) - rows.first(i)) * block * block;
}

// Computes the level of each row; returns the number of levels.
int find_levels(const TriangularRows& rows, Triangle side, std::vector<int>& level) {
  const int n = rows.rows();
  level.resize(at(n));
  int count = 0;
  for (int p = 0; p < n; ++p) {
    const int i = side == Triangle::lower ? p : n - 1 - p;
    int l = 0;
    for (std::int64_t e = rows.first(i); e < rows.end(i); ++e) l = std::max(l, level[rows.column[e]] + 1);
    level[i] = l;
    count = std::max(count, l + 1);
  }
  return count;
}

}  // namespace

Triangles triangles_of(const std::string& method, const std::vector<std::int64_t>& row_start,
                       const std::vector<std::int64_t>& diagonal, const std::vector<int>& column) {
  Triangles t;
  const auto add = [&](TriangularRows& rows, std::int64_t from, std::int64_t to) {
    rows.column.insert(rows.column.end(), column.begin() + from, column.begin() + to);
    rows.start.push_back(static_cast<std::int64_t>(rows.column.size()));
  };
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    const std::int64_t from = row_start[i], d = diagonal[i], to = row_start[i + 1];
    if (d < 0)
      throw Error(Exit::usage, method + ": block row " + std::to_string(i) + " has no diagonal block" +
                                   (from == to ? " (the row is empty)" : ""));
    add(t.lower, from, d);
    add(t.upper, d + 1, to);
  }
  return t;
}

int useful_threads() { return std::min(omp_get_max_threads(), omp_get_num_procs()); }

int count_levels(const TriangularRows& rows, Triangle side) {
  std::vector<int> level;
  return find_levels(rows, side, level);
}

Levels::Levels(const TriangularRows& rows, Triangle side) {
  std::vector<int> level;
  const int count = find_levels(rows, side, level);
  Buckets<int> by_level = into_buckets<int>(count, [&](const auto& put) {
    for (int i = 0; i < rows.rows(); ++i) put(level[i], i);
  });
  start = std::move(by_level.start);
  row = std::move(by_level.item);
}

ThreadPlan::ThreadPlan(const TriangularRows& rows, Triangle side, int block, int threads, const std::vector<int>& cuts)
    : threads_(threads) {
  const std::int64_t values = (rows.rows() + static_cast<std::int64_t>(rows.column.size())) * block * block;
  if (values < shared_sweep) threads_ = 1;
  if (threads_ > 1 && !cuts.empty()) {
    levels_ = count_levels(rows, side);
    share_stretches(rows, side, cuts);
  } else if (threads_ > 1) {
    share(rows, side, block);
  } else {
    levels_ = count_levels(rows, side);
  }
  if (threads_ == 1) natural(rows.rows(), side);
  done_ = std::make_unique<Done[]>(at(threads_));
}

void ThreadPlan::share(const TriangularRows& rows, Triangle side, int block) {
  const std::int64_t values = (rows.rows() + static_cast<std::int64_t>(rows.column.size())) * block * block;
  const Levels levels(rows, side);
  levels_ = levels.count();
  const Sharing leveled = by_levels(rows, levels, block), layered = by_layers(rows, side);
  const double by_level = simulated(rows, block, leveled), by_layer = simulated(rows, block, layered);
  if (std::min(by_level, by_layer) < worthwhile * value_time * static_cast<double>(values))
    cut_into_pieces(rows, by_level < much_better * by_layer ? leveled : layered);
  else
    threads_ = 1;
}

void ThreadPlan::natural(int rows, Triangle side) {
  order_.resize(at(rows));
  std::iota(order_.begin(), order_.end(), 0);
  if (side == Triangle::upper) std::ranges::reverse(order_);
  pieces_ = {{{0, rows}}};
  needs_ = {{0}};
}

// Thread t gets the rows between the cuts nearest to its share.
void ThreadPlan::share_stretches(const TriangularRows& rows, Triangle side, const std::vector<int>& cuts) {
  const int n = rows.rows();
  natural(n, side);
  std::vector<int> bound(at(threads_) + 1, n);
  bound[0] = 0;
  for (int t = 1; t < threads_; ++t) {
    const auto cut = std::ranges::lower_bound(cuts, static_cast<int>(std::int64_t{n} * t / threads_));
    bound[t] = std::max(bound[t - 1], cut == cuts.end() ? n : *cut);
  }
  pieces_.assign(at(threads_), {});
  for (int t = 0; t < threads_; ++t)
    pieces_[t].push_back(side == Triangle::lower ? Piece{bound[t], bound[t + 1]}
                                                 : Piece{n - bound[t + 1], n - bound[t]});
  needs_.assign(at(threads_), std::vector<int>(at(threads_), 0));
}

ThreadPlan::Sharing ThreadPlan::by_levels(const TriangularRows& rows, const Levels& levels, int block) const {
  Sharing s{levels.row, std::vector<int>(at(rows.rows()), 0)};
  for (int l = 0; l < levels.count(); ++l) {
    const auto first = levels.row.begin() + levels.start[l], end = levels.row.begin() + levels.start[l + 1];
    std::int64_t total = 0, before = 0;
    for (auto i = first; i != end; ++i) total += weight(rows, *i, block);
    for (auto i = first; i != end && total >= shared_level; ++i) {
      s.thread_of[*i] = static_cast<int>((before + weight(rows, *i, block) / 2) * threads_ / total);
      before += weight(rows, *i, block);
    }
  }
  return s;
}

// In sweep order, position p needs earlier positions only. reach[p]: last position that needs p.
ThreadPlan::Sharing ThreadPlan::by_layers(const TriangularRows& rows, Triangle side) const {
  const int n = rows.rows();
  const auto row = [&](int p) { return side == Triangle::lower ? p : n - 1 - p; };  // an involution
  std::vector<int> reach(at(n));
  for (int p = 0; p < n; ++p) {
    reach[p] = p;
    for (std::int64_t e = rows.first(row(p)); e < rows.end(row(p)); ++e) reach[row(rows.column[e])] = p;
  }
  Sharing s{{}, std::vector<int>(at(n))};
  for (int from = 0, to = std::min(1, n); from < n;) {
    for (int p = from; p < to; ++p) {
      s.sequence.push_back(row(p));
      s.thread_of[row(p)] = static_cast<int>(std::int64_t{p - from} * threads_ / (to - from));
    }
    const int next = to < n ? *std::max_element(reach.begin() + from, reach.begin() + to) + 1 : n;
    from = to;
    to = std::min(n, std::max(next, to + 1));
  }
  return s;
}

double ThreadPlan::simulated(const TriangularRows& rows, int block, const Sharing& sharing) const {
  std::vector<double> row_done(at(rows.rows())), now(at(threads_), 0.0);
  for (const int i : sharing.sequence) {
    const int me = sharing.thread_of[i];
    double& t = now[me];
    for (std::int64_t e = rows.first(i); e < rows.end(i); ++e) {
      const int j = rows.column[e];
      if (sharing.thread_of[j] != me) t = std::max(t, row_done[j] + wait_time);
    }
    t += value_time * static_cast<double>(weight(rows, i, block));
    row_done[i] = t;
  }
  return *std::ranges::max_element(now);
}

// Follows the sequence. A row that needs more of another thread than its thread has waited for starts a new piece and
// ends the other thread's piece that it needs if that is still open. So a piece never waits for a later one, and
// there is no circular wait.
void ThreadPlan::cut_into_pieces(const TriangularRows& rows, const Sharing& sharing) {
  const int n = rows.rows();
  std::vector<std::vector<int>> mine(at(threads_));
  std::vector<std::vector<int>> known(at(threads_), std::vector<int>(at(threads_), 0));
  std::vector<std::vector<int>> starts(at(threads_));
  std::vector<bool> open(at(threads_), false);
  std::vector<int> piece_of(at(n));
  needs_.assign(at(threads_), {});
  for (const int i : sharing.sequence) {
    const int me = sharing.thread_of[i];
    bool fresh = !open[me];
    for (std::int64_t e = rows.first(i); e < rows.end(i); ++e) {
      const int j = rows.column[e], other = sharing.thread_of[j];
      if (other == me || piece_of[j] < known[me][other]) continue;
      known[me][other] = piece_of[j] + 1;
      if (piece_of[j] + 1 == static_cast<int>(starts[other].size())) open[other] = false;
      fresh = true;
    }
    if (fresh) {
      starts[me].push_back(static_cast<int>(mine[me].size()));
      needs_[me].insert(needs_[me].end(), known[me].begin(), known[me].end());
      open[me] = true;
    }
    piece_of[i] = static_cast<int>(starts[me].size()) - 1;
    mine[me].push_back(i);
  }
  pieces_.assign(at(threads_), {});
  for (int t = 0; t < threads_; ++t) {
    const int offset = static_cast<int>(order_.size());
    order_.insert(order_.end(), mine[t].begin(), mine[t].end());
    starts[t].push_back(static_cast<int>(mine[t].size()));
    for (std::size_t k = 0; k + 1 < starts[t].size(); ++k)
      pieces_[t].push_back({offset + starts[t][k], offset + starts[t][k + 1]});
  }
}

template <class Space, class T>
TriangleBlocks<Space, T>::TriangleBlocks(const TriangularRows& rows, const std::vector<int>& order, int block)
    : block_(block), order_(order), value_(static_cast<std::int64_t>(rows.column.size()) * block * block) {
  std::vector<std::int64_t> start{0};
  std::vector<int> column;
  column.reserve(rows.column.size());
  for (const int i : order) {
    column.insert(column.end(), rows.column.begin() + rows.first(i), rows.column.begin() + rows.end(i));
    start.push_back(static_cast<std::int64_t>(column.size()));
  }
  column_ = Array<int, Space>(column);
  start_ = Array<std::int64_t, Space>(start);
}

template <class Space, class T>
std::vector<int> TriangleBlocks<Space, T>::positions() const {
  const std::vector<int> order = order_.to_vector();
  std::vector<int> position(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) position[order[p]] = static_cast<int>(p);
  return position;
}

template class TriangleBlocks<Host, double>;
template class TriangleBlocks<Host, float>;
template class TriangleBlocks<Device, double>;
template class TriangleBlocks<Device, float>;

}  // namespace weir
