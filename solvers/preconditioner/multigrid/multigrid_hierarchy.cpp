#include "solvers/preconditioner/multigrid/multigrid_hierarchy.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weir::multigrid {
namespace {

double largest_distance(const GridLevel& level) {
  double h = 0;
  for (const Line& l : level.line)
    for (int i = 0; i + 1 < l.size(); ++i) h = std::max(h, 1 / l.d.upper[static_cast<std::size_t>(i)]);
  return h;
}

// The smallest limit that merges the strongly coupled neighbours and still leaves few enough unknowns.
double merge_limit(const GridLevel& level, const Coarsening& options) {
  double smallest = largest_distance(level);
  for (const Line& l : level.line) smallest = std::min(smallest, l.smallest_distance());
  const double all = 1.01 * largest_distance(level);
  for (double limit = options.merge_factor * smallest; limit < all; limit *= 1.1) {
    double count = 1;
    for (const Line& l : level.line) count *= coarse_size(l, limit);
    if (count <= options.reduction * static_cast<double>(level.count())) return limit;
  }
  return all;
}

bool has_two_colours(const GridLevel& grid) {
  return std::none_of(grid.line.begin(), grid.line.end(),
                      [](const Line& l) { return l.d.periodic && l.size() % 2 == 1; });
}

}  // namespace

void invert_in_place(std::vector<double>& a, std::size_t n) {
  for (std::size_t p = 0; p < n; ++p) {
    const double pivot = 1 / a[p * n + p];
    a[p * n + p] = 1;
    for (std::size_t j = 0; j < n; ++j) a[p * n + j] *= pivot;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == p) continue;
      const double f = std::exchange(a[i * n + p], 0.0);
      for (std::size_t j = 0; j < n; ++j) a[i * n + j] -= f * a[p * n + j];
    }
  }
}

// 2D as x, z and 1D as x: loops over planes then have something to share out, and rows are long.
std::array<std::size_t, 3> order_of_lines(const SeparableOperator& A) {
  std::array<std::size_t, 3> order{0, 1, 2};
  const auto is_single = [&](std::size_t d) { return A.direction[order[d]].size() == 1; };
  if (is_single(0)) std::swap(order[0], order[1]);
  if (is_single(0)) std::swap(order[0], order[2]);
  if (is_single(2)) std::swap(order[1], order[2]);
  return order;
}

std::vector<GridLevel> make_grids(const SeparableOperator& A, const Coarsening& options) {
  std::vector<GridLevel> grids(1);
  const auto order = order_of_lines(A);
  for (std::size_t d = 0; d < 3; ++d) grids[0].line[d] = make_line(A.direction[order[d]]);
  while (grids.back().count() > std::max(options.coarse_size, 1)) {
    GridLevel& fine = grids.back();
    const double limit = merge_limit(fine, options);
    GridLevel coarse;
    for (std::size_t d = 0; d < 3; ++d) coarse.line[d] = coarsen(fine.line[d], limit, fine.transfer[d]);
    grids.push_back(std::move(coarse));
  }
  for (GridLevel& grid : grids) grid.two_colours = has_two_colours(grid);
  return grids;
}

void invert_coarsest(const GridLevel& level, double shift, double scale, bool singular, std::vector<double>& inverse,
                     std::vector<double>& work) {
  const auto n = static_cast<std::size_t>(level.count());
  const auto nx = static_cast<std::size_t>(level.line[0].size()), ny = static_cast<std::size_t>(level.line[1].size());
  work.assign(n * n, 0);
  double trace = 0;
  for (std::size_t a = 0; a < n; ++a) {
    const std::array<std::size_t, 3> at{a % nx, a / nx % ny, a / nx / ny}, stride{1, nx, nx * ny};
    double volume = 1;
    for (std::size_t d = 0; d < 3; ++d) volume *= level.line[d].d.mass[at[d]];
    work[a * n + a] += shift * volume;
    for (std::size_t d = 0; d < 3; ++d) {
      const SeparableDirection& l = level.line[d].d;
      const double area = scale * volume / l.mass[at[d]];
      const auto last = static_cast<std::size_t>(l.size()) - 1;
      const std::size_t base = a - at[d] * stride[d];
      work[a * n + a] += area * (l.lower[at[d]] + l.upper[at[d]] + l.boundary[at[d]]);
      work[a * n + base + (at[d] > 0 ? at[d] - 1 : last) * stride[d]] -= area * l.lower[at[d]];
      work[a * n + base + (at[d] < last ? at[d] + 1 : 0) * stride[d]] -= area * l.upper[at[d]];
    }
    trace += work[a * n + a];
  }
  // With the null space shifted to the mean eigenvalue, A + (mean / n) 1 1^T, the inverse has 1 1^T / (n mean) too
  // much.
  const double mean = trace > 0 ? trace / static_cast<double>(n) : 1;
  const auto size = static_cast<double>(n);
  if (singular)
    for (double& v : work) v += mean / size;
  invert_in_place(work, n);
  if (singular)
    for (double& v : work) v -= 1 / (size * mean);
  inverse = work;
}

}  // namespace weir::multigrid
