// The device forms of block_ilu0: one launcher each for eq. (1) and for one sweep of eq. (2).
#pragma once
#include "solvers/preconditioner/block_ilu0/block_ilu0_factors.hpp"

namespace weir::block_ilu0 {

// Everything a kernel may want; pointers into the Device.
template <class T>
struct DeviceFactors {
  BlockStencilView A;
  T* inverted = nullptr;       // d^-1, a block a cell
  const int* order = nullptr;  // cells by hyperplane
  double* work = nullptr;      // of the form's own
  int* bad = nullptr;          // a cell: 1 where its block could not be inverted
  int* finished = nullptr;     // one_launch: a cell: the turn that it was last finished in
  bool pivoting = false;

  WEIR_HD T* block(int cell) const { return inverted + std::int64_t{cell} * A.n * A.n; }
};

// Does slot t of a cell lead to a neighbour that precedes it (forward) or follows it (backward)? Its cell, or -1.
WEIR_HD inline int neighbour_before(const BlockStencilView& A, int cell, int t) {
  const int to = A.neighbour(cell, t);
  return to < cell ? to : -1;
}
WEIR_HD inline int neighbour_after(const BlockStencilView& A, int cell, int t) {
  const int to = A.neighbour(cell, t);
  return to > cell ? to : -1;
}

// Cells that a workgroup takes in the forms that have workgroups: about 256 threads, n x n a cell. Enough warps to hide
// latency, small enough to leave few idle at the end of a hyperplane.
WEIR_HD inline int cells_a_workgroup(int n) { return n < 16 ? 256 / (n * n) : 1; }

// At most so many neighbours precede a cell.
inline int most_before(Periodic p) { return 3 + (p.x ? 1 : 0) + (p.y ? 1 : 0) + (p.z ? 1 : 0); }

template <class T>
struct EntryForm {
  static std::int64_t work_size(const BlockStencilView& A, const Hyperplanes& levels);
  static void factorise(const DeviceFactors<T>& f, const Hyperplanes& levels);
  static void solve(const DeviceFactors<T>& f, const Hyperplanes& levels, const double* r, double* z);
};

template <class T>
struct WorkgroupForm {
  static void factorise(const DeviceFactors<T>& f, const Hyperplanes& levels);
  static void solve(const DeviceFactors<T>& f, const Hyperplanes& levels, const double* r, double* z);
};
template <class T>
struct OneLaunchForm {
  static void factorise(const DeviceFactors<T>& f, const Hyperplanes& levels, Turns& turns);
  static void solve(const DeviceFactors<T>& f, const Hyperplanes& levels, Turns& turns, const double* r, double* z);
};

}  // namespace weir::block_ilu0
