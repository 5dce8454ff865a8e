// Factors of block_ilu0 for a block stencil in each space: the inverted diagonal blocks, eq. (1) and the sweeps of eq.
// (2).
#pragma once
#include <atomic>

#include "solvers/device/wavefront.hpp"
#include "solvers/matrix/algorithms/awaited_vector.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0.hpp"

namespace weir {

namespace block_ilu0 {
template <class T>
struct DeviceFactors;

// Cells at the slots of a cell, or -1. Slot delta is the cell itself; -1: a place without a cell.
struct alignas(32) CellLinks {
  int to[8];
  WEIR_HD int cell() const { return to[slot::delta]; }
};

// Device: the first cell with bad = 1 (its block could not be inverted), or -1.
FailedCell first_bad(const int* bad, int cells);

// Groups of cells are drawn in order by an atomic counter; a launch of `grid` workgroups draws one ticket too many per
// workgroup.
struct Tickets {
  unsigned* counter = nullptr;  // in the Device
  unsigned start = 0;           // its value before the launch
};
class Turns {
 public:
  Turns() = default;
  explicit Turns(unsigned* counter) : tickets_{counter, 0} {}
  Tickets draw(int groups, unsigned grid) {
    const Tickets now = tickets_;
    tickets_.start += static_cast<unsigned>(groups) + grid;
    return now;
  }
  int next() { return turn_ = turn_ % 0x3fffffff + 1; }  // never 0, the initial value of the flags

 private:
  Tickets tickets_;
  int turn_ = 0;
};
}  // namespace block_ilu0

// T: storage of the inverted blocks.
template <class Space, class T>
class BlockIluFactors;

template <class T>
class BlockIluFactors<Host, T> {
 public:
  BlockIluFactors(const BlockStencil<Host>& A, const BlockIluOptions& options);
  FailedCell factorise(const BlockStencilView& A);
  void solve(const BlockStencilView& A, const double* r, double* z);  // z = M^-1 r; z may be r

  std::vector<T> inverted() const { return d_.to_vector(); }
  std::int64_t bytes() const { return d_.size() * static_cast<std::int64_t>(sizeof(T)); }
  int levels() const { return levels_; }

 private:
  Array<T, Host> d_;
  Wavefront wavefront_;
  bool pivoting_, parallel_;
  int levels_;
};

// Cells by hyperplane (Alg. 1): those with i + j + k = p, in natural order, are cells[start[p] .. start[p + 1]). Each
// hyperplane is padded with -1 to whole groups of `group` cells.
struct Hyperplanes {
  Hyperplanes(Extents cells, int cells_a_group);

  int count() const { return static_cast<int>(start.size()) - 1; }
  int first_group(int p) const { return start[p] / group; }
  int groups() const { return first_group(count()); }
  int widest() const;  // cells of the largest hyperplane, with padding
  int widest_groups() const { return widest() / group; }

  int group;
  std::vector<int> cells, start;
};

template <class T>
class BlockIluFactors<Device, T> {
 public:
  BlockIluFactors(const BlockStencil<Device>& A, const BlockIluOptions& options);
  FailedCell factorise(const BlockStencilView& A);
  void solve(const BlockStencilView& A, const double* r, double* z);

  std::vector<T> inverted() const { return d_.to_vector(); }
  std::int64_t bytes() const;
  int levels() const { return levels_.count(); }

 private:
  block_ilu0::DeviceFactors<T> factors(const BlockStencilView& A);

  bool pivoting_, is_large_;  // blocks larger than 32
  Hyperplanes levels_;
  Array<int, Device> order_;                    // large blocks: levels_.cells
  Array<block_ilu0::CellLinks, Device> links_;  // others: the same with their neighbours
  Array<T, Device> d_;                          // inverted blocks
  Array<double, Device> work_;                  // large blocks: products and diagonal blocks of the widest hyperplane
  Array<int, Device> bad_;                      // per cell: 1 if its block could not be inverted
  Array<int, Device> finished_;                 // per cell: the turn in which it was last finished
  Array<unsigned, Device> drawn_;               // the ticket counter
  block_ilu0::Turns turns_;
  AwaitedVector awaited_;
};

}  // namespace weir

namespace weir::block_ilu0 {

// Arguments of the kernels; pointers into device memory.
template <class T>
struct DeviceFactors {
  BlockStencilView A;
  T* inverted = nullptr;             // d^-1, one block per cell
  const int* order = nullptr;        // large blocks: cells by hyperplane
  const CellLinks* links = nullptr;  // others: the same with their neighbours
  double* work = nullptr;            // large blocks
  int* bad = nullptr;                // per cell: 1 if its block could not be inverted
  int* finished = nullptr;           // per cell: the turn in which it was last finished
  bool pivoting = false;

  WEIR_HD T* block(int cell) const { return inverted + std::int64_t{cell} * A.n * A.n; }
};

// The cell at slot t if it precedes (or follows) the cell, else -1.
WEIR_HD inline int neighbour_before(const BlockStencilView& A, int cell, int t) {
  const int to = A.neighbour(cell, t);
  return to < cell ? to : -1;
}
WEIR_HD inline int neighbour_after(const BlockStencilView& A, int cell, int t) {
  const int to = A.neighbour(cell, t);
  return to > cell ? to : -1;
}

// The same from stored links. Without periodic directions the first three slots lead back and the last three forward,
// so that the compiler drops the others.
template <bool Before>
WEIR_HD inline int linked(const CellLinks& links, int t, bool wraps) {
  if (!wraps && (Before ? t > slot::delta : t < slot::delta)) return -1;
  const int to = links.to[t], cell = links.cell();
  return (Before ? to < cell : to > cell) ? to : -1;
}

// Entry `entry` of block (cell, slot).
template <int N>
struct Blocks {
  const double* first;
  std::int64_t slot_stride;
  int nn;
  WEIR_HD Blocks(const BlockStencilView& A, int entry) : nn((N > 0 ? N : A.n) * (N > 0 ? N : A.n)) {
    slot_stride = std::int64_t{A.cells.count()} * nn + A.padding;
    first = A.values - A.first * slot_stride + entry;
  }
  WEIR_HD double operator()(int cell, int t, int further = 0) const {
    return first[t * slot_stride + std::int64_t{cell} * nn + further];
  }
};

// f(std::integral_constant<int, N>) for a block size that kernels know at compile time, or 0.
template <class F>
void with_size(int n, const F& f) {
  switch (n) {
    case 4:
      return f(std::integral_constant<int, 4>{});
    case 5:
      return f(std::integral_constant<int, 5>{});
    case 6:
      return f(std::integral_constant<int, 6>{});
    default:
      return f(std::integral_constant<int, 0>{});
  }
}

// Cells per workgroup: about 256 threads, n x n per cell: enough warps to hide latency, few idle ones at the end of a
// hyperplane.
WEIR_HD inline int cells_a_workgroup(int n) { return n < 16 ? 256 / (n * n) : 1; }

inline bool wraps(Periodic p) { return p.x || p.y || p.z; }

// The largest number of neighbours that precede a cell.
inline int most_before(Periodic p) { return 3 + (p.x ? 1 : 0) + (p.y ? 1 : 0) + (p.z ? 1 : 0); }

// Eq. (1) and the sweeps of eq. (2) for blocks up to largest_in_one_launch, each in one launch.
inline constexpr int largest_in_one_launch = 32;  // n x n threads per cell, at most 1024 per workgroup
template <class T>
void factorise_in_one_launch(const DeviceFactors<T>& f, const Hyperplanes& levels, Turns& turns);
template <class T>
void solve_in_one_launch(const DeviceFactors<T>& f, const Hyperplanes& levels, Turns& turns, AwaitedVector& awaited,
                         const double* r, double* z);

// Both sweeps for n = 4, 5, 6; returns false, and does nothing, for other n.
template <class T>
bool sweep_in_order(const DeviceFactors<T>& f, const Hyperplanes& levels, AwaitedVector& awaited, const double* r,
                    double* z);
// Size of its AwaitedVector.
inline std::int64_t awaited_size(int n, int cells) { return n >= 4 && n <= 6 ? std::int64_t{n} * cells : 0; }

}  // namespace weir::block_ilu0
