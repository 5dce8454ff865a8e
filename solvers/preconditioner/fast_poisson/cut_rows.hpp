// A banded matrix as a separable operator without a few couplings, as next to an immersed body:
//   A = R (L - E) R ,
// L: the operator of the whole grid; R: the rows with couplings, called wet; E = sum of e_ij (x_i - x_j) with e_ij >= 0
// in the rows whose faces are closed in part, called cut. The near rows are the cut ones and their wet neighbours.
#pragma once
#include "solvers/device/growing_array.hpp"
#include "solvers/matrix/stencil/banded.hpp"
#include "solvers/preconditioner/fast_poisson/fast_poisson.hpp"

namespace weir {

struct CutRowsView {
  int cut = 0, near = 0;               // near rows in the order: cut ones, their neighbours
  const int* cell = nullptr;           // of each near row
  const int* neighbour = nullptr;      // of near row q in slot s: [s * near + q]; its own cell if there is none
  const double* a = nullptr;           // entries of A, likewise; slot::delta: the diagonal
  const double* e = nullptr;           // e_ij, likewise; slot::delta: the part of the diagonal that belongs to no face
  const unsigned char* wet = nullptr;  // per cell
  const double* diagonal = nullptr;    // per cell, of A

  // (E x) in near row q.
  WEIR_HD double removed(int q, const double* x) const {
    const double own = x[cell[q]];
    double sum = e[slot::delta * near + q] * own;
    for (int s = 0; s < slot::count; ++s)
      if (s != slot::delta) sum += e[s * near + q] * (own - x[neighbour[s * near + q]]);
    return sum;
  }
  // (A x) in near row q, for an x that is 0 in dry cells.
  WEIR_HD double product(int q, const double* x) const {
    double sum = 0;
    for (int s = 0; s < slot::count; ++s) sum += a[s * near + q] * x[neighbour[s * near + q]];
    return sum;
  }
};

template <class Space>
class CutRows {
 public:
  // Throws Error(usage), with the reason, if A is not of this form with the grid of A.
  void find(const Banded<Space>& A);
  CutRowsView view() const;
  int wet() const { return wet_count_; }
  const SeparableOperator& whole() const { return whole_; }  // L
  RowRanges rows_near() const;                               // of the near rows and their neighbours
  std::int64_t bytes() const;

  // Steps of find; public because they contain kernels.
  void mark(const Banded<Space>& A);
  void fill(const Banded<Space>& A);

 private:
  SeparableOperator whole_;
  std::array<Array<double, Space>, 3> lines_;  // per direction: mass, lower, upper, boundary
  Array<unsigned char, Space> flags_;
  std::vector<unsigned char> marks_;
  std::vector<int> rows_;  // near rows
  int cut_ = 0, wet_count_ = 0;
  GrowingArray<int, Space> cell_, neighbour_;
  GrowingArray<double, Space> a_, e_;
  const double* diagonal_ = nullptr;
};

}  // namespace weir
