// The 1D arrays of a stretched grid for the operators, in the space in which they run.
#pragma once
#include "mesh/structured/grid.hpp"
#include "miniapps/structured/layout.hpp"
#include "solvers/device/array.hpp"

namespace weir {

// One direction, indexed from -1 (ghost) to n, counted from the first cell of the rank. A ghost cell mirrors the cell
// next to it, or is the cell one period away.
struct MetricLine {
  const double* h = nullptr;      // width of cell i
  const double* inv_h = nullptr;  // 1 / h
  // 0..n: distance of the centres of cells i - 1 and i, the width of the control volume of face i.
  const double* m = nullptr;
  const double* inv_m = nullptr;   // 1 / m
  const double* centre = nullptr;  // centre of cell i
  const double* face = nullptr;    // 0..n: low face of cell i
};

// The mean of 4 s (1 - s) over [a, b].
WEIR_HD inline double mean_parabola(double a, double b) { return 4 * (0.5 * (a + b) - (a * a + a * b + b * b) / 3); }

struct Metrics {
  MetricLine line[3];
};

struct IncompressibleCase;
Layout make_layout(const IncompressibleCase& c);  // layout of the whole grid

template <class Space>
class MetricArrays {
 public:
  MetricArrays(const Grid& grid, const Layout& layout);
  const Metrics& view() const { return view_; }

 private:
  Array<double, Space> storage_[3];
  Metrics view_;
};

}  // namespace weir
