// Exact solves with strictly triangular block rows T and unit diagonal, as in the sweeps of ILU preconditioners:
//   x_i = S_i b_i - sum_j T_ij x_j              (S: block diagonal, optional)
// Rows are stored in execution order ("positions"), so that each thread reads its factors as one stream; blocks are
// column-major.
//
//   Host     natural order on one thread. Several threads process their own rows and wait for the others
//            where a row needs it (ThreadPlan).
//   Device   One launch: warps draw rows in level order and wait for the values of x they need. Blocks larger than 32
//            take one launch per level.
// Sums follow the order of the pattern: the bits do not depend on the threads.
#pragma once
#include <omp.h>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/matrix/algorithms/awaited_vector.hpp"
#include "solvers/matrix/many.hpp"

namespace weir {

enum class Triangle { lower, upper };

struct TriangularRows {
  std::vector<std::int64_t> start{0};  // rows + 1
  std::vector<int> column;

  int rows() const { return static_cast<int>(start.size()) - 1; }
  std::int64_t first(int row) const { return start[row]; }
  std::int64_t end(int row) const { return start[row + 1]; }
};

// Both triangles of a block CSR pattern with ascending columns. Throws Error(usage) with the method's name and the
// first row without a diagonal block.
struct Triangles {
  TriangularRows lower, upper;
};
Triangles triangles_of(const std::string& method, const std::vector<std::int64_t>& row_start,
                       const std::vector<std::int64_t>& diagonal, const std::vector<int>& column);

// Rows by level: row[start[l]] .. row[start[l + 1] - 1] are those of level l; they need earlier levels only.
struct Levels {
  std::vector<int> row, start{0};

  Levels(const TriangularRows& rows, Triangle side);
  int count() const { return static_cast<int>(start.size()) - 1; }
  int size(int l) const { return start[l + 1] - start[l]; }
};

int count_levels(const TriangularRows& rows, Triangle side);

// Schedule of a sweep on host threads: positions of each thread, cut into pieces, and the progress of the other threads
// that a piece needs. Two ways to share the rows are simulated; the faster one is used, or one thread if neither pays:
//   by levels   each thread gets a part of each level, small levels go to one thread: any row order
//   by layers   rows i .. k - 1 that reach no further than k form a layer (a front of Cuthill-McKee, a row of a grid);
//               each thread processes its part of each layer in row order; only the ends of parts wait for others
class ThreadPlan {
 public:
  // cuts: ascending rows with no dependency across them; threads then take whole stretches and never wait.
  ThreadPlan(const TriangularRows& rows, Triangle side, int block, int threads, const std::vector<int>& cuts = {});

  const std::vector<int>& order() const { return order_; }  // position -> row
  int threads() const { return threads_; }
  int levels() const { return levels_; }

  // body(from, to, thread): processes positions [from, to), whose dependencies are complete.
  template <class F>
  void run(const F& body) const {
    if (threads_ == 1) return body(0, static_cast<int>(order_.size()), 0);
    for (int t = 0; t < threads_; ++t) done_[t].pieces.store(0, std::memory_order_relaxed);
    const auto piece = [this](int t, int k) { return pieces_[t][k]; };
    const auto count = [this](int t) { return static_cast<int>(pieces_[t].size()); };
#pragma omp parallel num_threads(omp_get_max_threads() == 1 ? 1 : threads_)
    {
      const int thread = omp_get_thread_num();
      std::vector<int> seen(static_cast<std::size_t>(threads_), 0);
      if (omp_get_num_threads() == threads_) {
        for (int k = 0; k < count(thread); ++k) {
          wait(thread, k, seen);
          body(piece(thread, k).from, piece(thread, k).to, thread);
          done_[thread].pieces.store(k + 1, std::memory_order_release);
        }
      } else if (thread == 0) {  // fewer threads than planned: one processes all pieces in turn
        for (bool more = true; more;) {
          more = false;
          for (int t = 0; t < threads_; ++t)
            for (int& k = seen[t]; k < count(t) && ready(t, k, seen); ++k, more = true)
              body(piece(t, k).from, piece(t, k).to, 0);
        }
      }
    }
  }

 private:
  struct alignas(64) Done {  // number of finished pieces of a thread, in its own cache line
    std::atomic<int> pieces{0};
  };
  struct Piece {
    int from, to;
  };
  struct Sharing {
    std::vector<int> sequence, thread_of;
  };
  void natural(int rows, Triangle side);
  void share(const TriangularRows& rows, Triangle side, int block);
  void share_stretches(const TriangularRows& rows, Triangle side, const std::vector<int>& cuts);
  Sharing by_levels(const TriangularRows& rows, const Levels& levels, int block) const;
  Sharing by_layers(const TriangularRows& rows, Triangle side) const;
  double simulated(const TriangularRows& rows, int block, const Sharing& sharing) const;  // nanoseconds
  void cut_into_pieces(const TriangularRows& rows, const Sharing& sharing);
  bool ready(int thread, int piece, const std::vector<int>& done) const {
    for (int other = 0; other < threads_; ++other)
      if (done[other] < needed(thread, piece, other)) return false;
    return true;
  }
  // seen: last known progress of the other threads.
  void wait(int thread, int piece, std::vector<int>& seen) const {
    for (int turns = 0; !ready(thread, piece, seen); ++turns) {
      for (int other = 0; other < threads_; ++other) seen[other] = done_[other].pieces.load(std::memory_order_acquire);
      if (turns > 4000) std::this_thread::yield();  // more threads than cores: yield
    }
  }
  int needed(int thread, int piece, int other) const { return needs_[thread][piece * threads_ + other]; }

  int threads_, levels_ = 0;
  std::vector<int> order_;
  std::vector<std::vector<Piece>> pieces_;  // per thread, in its order
  // per thread: for each of its pieces, the number of pieces of each other thread that it needs
  std::vector<std::vector<int>> needs_;
  std::unique_ptr<Done[]> done_;
};

template <class T>
struct TriangleView {
  int rows = 0, block = 1;
  const int* order = nullptr;           // position -> row
  const std::int64_t* start = nullptr;  // by position
  const int* column = nullptr;
  T* value = nullptr;
};

namespace triangular {
template <class T>
struct Sweep;  // triangular_device.cu
}

int useful_threads();  // number of host threads for a sweep; more than cores would wait for each other

struct SweepOptions {
  int threads = useful_threads();  // Host
  std::vector<int> cuts;           // Host: for ThreadPlan
};

template <class Space, class T>
class TriangleBlocks {
 public:
  TriangleView<T> view() const {
    return {static_cast<int>(order_.size()), block_, order_.data(), start_.data(), column_.data(), value_.data()};
  }
  std::vector<int> positions() const;  // row -> position
  std::int64_t bytes() const {
    return value_.size() * static_cast<std::int64_t>(sizeof(T)) + 4 * (order_.size() + column_.size()) +
           8 * start_.size();
  }

 protected:
  TriangleBlocks(const TriangularRows& rows, const std::vector<int>& order, int block);

  int block_;
  Array<int, Space> order_, column_;
  Array<std::int64_t, Space> start_;
  Array<T, Space> value_;
};

template <class Space, class T>
class UnitTriangle;

template <class T>
class UnitTriangle<Host, T> : public TriangleBlocks<Host, T> {
 public:
  UnitTriangle(const TriangularRows& rows, Triangle side, int block, const SweepOptions& options = {})
      : UnitTriangle(rows, block, ThreadPlan(rows, side, block, options.threads, options.cuts)) {}
  const ThreadPlan& plan() const { return plan_; }
  int levels() const { return plan_.levels(); }
  // scale: blocks of S by position, or null. x may be b.
  void solve(const T* scale, const double* b, double* x) const { solve(scale, std::array{OneOfMany{b, x}}); }
  void solve(const T* scale, std::span<const OneOfMany> systems) const;

 private:
  UnitTriangle(const TriangularRows& rows, int block, ThreadPlan plan)
      : TriangleBlocks<Host, T>(rows, plan.order(), block), plan_(std::move(plan)) {}
  ThreadPlan plan_;
};

template <class T>
class UnitTriangle<Device, T> : public TriangleBlocks<Device, T> {
 public:
  UnitTriangle(const TriangularRows& rows, Triangle side, int block, const SweepOptions& = {})
      : UnitTriangle(rows, Levels(rows, side), block) {}
  int levels() const { return static_cast<int>(level_start_.size()) - 1; }
  const std::vector<int>& level_start() const { return level_start_; }  // positions
  std::int64_t bytes() const { return TriangleBlocks<Device, T>::bytes() + x_.bytes(); }
  // As above, but x must not be b if `scale` is given.
  void solve(const T* scale, const double* b, double* x);

 private:
  UnitTriangle(const TriangularRows& rows, const Levels& levels, int block);
  void solve_in_one_launch(const triangular::Sweep<T>& s);

  int widest_ = 0;
  std::vector<int> level_start_;
  AwaitedVector x_;  // blocks up to 32
};

}  // namespace weir
