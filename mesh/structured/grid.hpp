// A structured grid: the tensor product of three 1D grids, each uniform or stretched.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace weir {

struct Stretching {
  // "uniform" | "tanh" (clustered at both ends) | "tanh_low" | "tanh_high" (at one end) | "refined"
  std::string type = "uniform";
  double factor = 0;
  // "refined": cells of about `width` between `from` and `to`, growing by a constant ratio towards both ends; the
  // outer cells are distributed so that the larger of the two ratios is minimal.
  double from = 0, to = 0, width = 0;
};

struct GridLine {
  std::vector<double> faces;   // n + 1, increasing
  std::vector<double> centre;  // n
  std::vector<double> width;   // n
  int cells() const { return static_cast<int>(centre.size()); }
  double length() const { return faces.back() - faces.front(); }
  bool is_uniform() const;
};

GridLine make_grid_line(int cells, double origin, double length, const Stretching& stretching);

struct Grid {
  std::array<GridLine, 3> line;  // x, y, z; 2D: one cell in z
  bool is_2d() const { return line[2].cells() == 1; }
  int cells(int d) const { return line[d].cells(); }
  std::int64_t count() const { return std::int64_t{1} * cells(0) * cells(1) * cells(2); }
  double volume() const { return line[0].length() * line[1].length() * line[2].length(); }
};

}  // namespace weir
