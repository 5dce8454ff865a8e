// Directions whose images under a small dense matrix are smallest.
#pragma once
#include <vector>

namespace weir {

// Small dense matrix, stored by columns.
struct Columns {
  int rows = 0, count = 0;
  std::vector<double> a;

  void shape(int r, int c) {  // sets the size and fills with zeros
    rows = r;
    count = c;
    a.assign(static_cast<std::size_t>(r) * static_cast<std::size_t>(c), 0.0);
  }
  double* column(int j) { return a.data() + static_cast<std::ptrdiff_t>(j) * rows; }
  const double* column(int j) const { return a.data() + static_cast<std::ptrdiff_t>(j) * rows; }
};

// Work space of shortened_most.
struct ShorteningWork {
  Columns Q, R, X;
};

// Up to `wanted` directions P with the smallest images under G, scaled so that the columns of Q = G P are orthonormal.
// Returns their number: 0 if G is singular to rounding.
int shortened_most(const Columns& G, int wanted, ShorteningWork& work, Columns& P, Columns& Q);

}  // namespace weir
