// Levels, and how Host threads share them.
#include "solvers/matrix/triangular.hpp"

#include <algorithm>
#include <numeric>

namespace weir {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// A level is worth a second thread from so many values of its blocks on: one costs about 1 ns, waiting for another core
// 100 to 200 ns.
constexpr std::int64_t shared_level = 1024;
// And a whole sweep from so many.
constexpr std::int64_t shared_sweep = 1 << 16;

}  // namespace

Levels::Levels(const TriangularRows& rows, Triangle side) {
  const int n = rows.rows();
  std::vector<int> level(at(n), 0);
  int count = 0;
  for (int p = 0; p < n; ++p) {
    const int i = side == Triangle::lower ? p : n - 1 - p;
    int l = 0;
    for (std::int64_t e = rows.first(i); e < rows.end(i); ++e) l = std::max(l, level[at(rows.column[at(e)])] + 1);
    level[at(i)] = l;
    count = std::max(count, l + 1);
  }
  start.assign(at(count) + 1, 0);
  for (const int l : level) ++start[at(l) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<int> next(start.begin(), start.end() - 1);
  row.resize(at(n));
  for (int i = 0; i < n; ++i) row[at(next[at(level[at(i)])]++)] = i;
}

ThreadPlan::ThreadPlan(const TriangularRows& rows, Triangle side, int block, int threads, const std::vector<int>& cuts)
    : threads_(threads) {
  const Levels levels(rows, side);
  levels_ = levels.count();
  const std::int64_t values = (rows.rows() + static_cast<std::int64_t>(rows.column.size())) * block * block;
  if (values < shared_sweep) threads_ = 1;
  if (threads_ == 1)
    natural(rows.rows(), side);
  else if (!cuts.empty())
    share_stretches(rows, side, cuts);
  else
    share_out(rows, levels, block);
  done_ = std::make_unique<Done[]>(at(threads_));
}

void ThreadPlan::natural(int rows, Triangle side) {
  order_.resize(at(rows));
  std::iota(order_.begin(), order_.end(), 0);
  if (side == Triangle::upper) std::reverse(order_.begin(), order_.end());
  pieces_ = {{0, rows}};
  needs_ = {0};
}

// Thread t gets the rows between the cuts nearest to its share.
void ThreadPlan::share_stretches(const TriangularRows& rows, Triangle side, const std::vector<int>& cuts) {
  const int n = rows.rows();
  natural(n, side);
  std::vector<int> bound(at(threads_) + 1, n);
  bound[0] = 0;
  for (int t = 1; t < threads_; ++t) {
    const auto cut = std::lower_bound(cuts.begin(), cuts.end(), static_cast<int>(std::int64_t{n} * t / threads_));
    bound[at(t)] = std::max(bound[at(t) - 1], cut == cuts.end() ? n : *cut);
  }
  pieces_.resize(at(threads_));
  for (int t = 0; t < threads_; ++t)
    pieces_[at(t)] =
        side == Triangle::lower ? Piece{bound[at(t)], bound[at(t) + 1]} : Piece{n - bound[at(t) + 1], n - bound[at(t)]};
  needs_.assign(at(threads_ * threads_), 0);
}

void ThreadPlan::share_out(const TriangularRows& rows, const Levels& levels, int block) {
  const auto weight = [&](int i) { return (1 + rows.end(i) - rows.first(i)) * block * block; };
  std::vector<int> group_of(at(rows.rows())), thread_of(at(rows.rows()));
  std::vector<std::vector<int>> mine(at(threads_));  // rows of a thread in the order of the levels
  std::vector<std::vector<int>> ends(at(threads_));  // of its groups
  groups_ = 0;
  bool open = false;  // the last group collects small levels
  for (int l = 0; l < levels.count(); ++l) {
    const auto first = levels.row.begin() + levels.start[at(l)], end = levels.row.begin() + levels.start[at(l) + 1];
    std::int64_t total = 0, before = 0;
    for (auto i = first; i != end; ++i) total += weight(*i);
    const bool shared = total >= shared_level;
    if (shared || !open) {
      ++groups_;
      for (auto& e : ends) e.push_back(e.empty() ? 0 : e.back());
    }
    open = !shared;
    for (auto i = first; i != end; ++i) {
      const int t = shared ? static_cast<int>((before + weight(*i) / 2) * threads_ / total) : 0;
      before += weight(*i);
      mine[at(t)].push_back(*i);
      ++ends[at(t)].back();
      group_of[at(*i)] = groups_ - 1;
      thread_of[at(*i)] = t;
    }
  }
  pieces_.resize(at(groups_ * threads_));
  int offset = 0;
  for (int t = 0; t < threads_; ++t) {
    order_.insert(order_.end(), mine[at(t)].begin(), mine[at(t)].end());
    for (int g = 0; g < groups_; ++g)
      pieces_[at(g * threads_ + t)] = {offset + (g ? ends[at(t)][at(g) - 1] : 0), offset + ends[at(t)][at(g)]};
    offset += static_cast<int>(mine[at(t)].size());
  }
  note_needs(rows, group_of, thread_of);
}

// What piece (g, t) needs of another thread: the groups up to the last one that holds a row its rows depend on.
void ThreadPlan::note_needs(const TriangularRows& rows, const std::vector<int>& group_of,
                            const std::vector<int>& thread_of) {
  needs_.assign(at(groups_ * threads_) * at(threads_), 0);
  for (int i = 0; i < rows.rows(); ++i) {
    int* need = needs_.data() + at(group_of[at(i)] * threads_ + thread_of[at(i)]) * at(threads_);
    for (std::int64_t e = rows.first(i); e < rows.end(i); ++e) {
      const int j = rows.column[at(e)], other = thread_of[at(j)];
      need[other] = std::max(need[other], group_of[at(j)] + 1);
    }
  }
}

}  // namespace weir
