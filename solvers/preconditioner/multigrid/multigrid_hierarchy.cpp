#include "solvers/preconditioner/multigrid/multigrid_hierarchy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace weir::multigrid {
namespace {

// Neighbours closer than merge_factor times the smallest distance of a level are merged: directions whose couplings, 1
// / distance^2, differ by less than a factor of 9 coarsen together.
constexpr double merge_factor = 3;
constexpr double reduction =
    0.75;  // largest ratio of unknowns of a level to the finer one: bounds the work of a cycle by 4

double largest_distance(const GridLevel& level) {
  double h = 0;
  for (const Line& l : level.line)
    for (int i = 0; i + 1 < l.size(); ++i) h = std::max(h, 1 / l.d.upper[i]);
  return h;
}

// The smallest limit that merges the strongly coupled neighbours and still leaves few enough unknowns: increased in
// steps of 10 % up to just above (1.01) the largest distance, which merges everything.
double merge_limit(const GridLevel& level) {
  double smallest = largest_distance(level);
  for (const Line& l : level.line) smallest = std::min(smallest, l.smallest_distance());
  const double all = 1.01 * largest_distance(level);
  for (double limit = merge_factor * smallest; limit < all; limit *= 1.1) {
    double count = 1;
    for (const Line& l : level.line) count *= coarse_size(l, limit);
    if (count <= reduction * static_cast<double>(level.count())) return limit;
  }
  return all;
}

using Index = std::size_t;

// Indices of the unknowns that are merged with their next one.
std::vector<int> pairs_closer_than(const Line& line, double limit) {
  std::vector<int> pairs;
  for (int i = 0; i + 1 < line.size();) {
    const bool close = 1 / line.d.upper[i] < limit;
    if (close) pairs.push_back(i);
    i += close ? 2 : 1;
  }
  return pairs;
}

// A red-black colouring of a periodic line needs an even number of unknowns. Drops the last pair; a single pair gets a
// second one next to it: before it, else after it, else both are placed at the start.
void make_even(int n, std::vector<int>& pairs) {
  const int coarse = n - static_cast<int>(pairs.size());
  if (coarse % 2 == 0 || coarse == 1 || pairs.empty()) return;
  if (pairs.size() > 1) return pairs.pop_back();
  const int p = pairs[0];
  if (p >= 2)
    pairs = {p - 2, p};
  else if (p + 4 <= n)
    pairs = {p, p + 2};
  else
    pairs = {0, 2};
}

std::vector<int> choose_pairs(const Line& line, double limit) {
  std::vector<int> pairs = pairs_closer_than(line, limit);
  if (line.d.periodic) make_even(line.size(), pairs);
  return pairs;
}

// The first fine unknown of each coarse one, and one past the end.
std::vector<int> first_of_each(int n, const std::vector<int>& pairs) {
  std::vector<int> first;
  auto pair = pairs.begin();
  for (int i = 0; i < n;) {
    const bool merged = pair != pairs.end() && *pair == i;
    first.push_back(i);
    if (merged) ++pair;
    i += merged ? 2 : 1;
  }
  first.push_back(n);
  return first;
}

// Contribution of Dirichlet ends to the diagonal: 1 / distance, from the merged position.
void merge_boundary(const Line& fine, const LineTransfer& t, Line& coarse) {
  const int n = fine.size(), nc = coarse.size();
  for (int I = 0; I < nc; ++I)
    for (int i = t.first[I]; i < t.first[I + 1]; ++i) {
      const double b = fine.d.boundary[i];
      if (b == 0) continue;
      const double moved = coarse.x[I] - fine.x[i];
      const double away = i == 0 ? moved : i == n - 1 ? -moved : 0;  // larger distance from the wall
      coarse.d.boundary[I] += 1 / (1 / b + away);
    }
}

Line merge(const Line& fine, const LineTransfer& t) {
  const int nc = t.coarse();
  Line coarse;
  coarse.period = fine.period;
  coarse.d.periodic = fine.d.periodic && nc > 1;
  for (auto* v : {&coarse.x, &coarse.d.mass, &coarse.d.lower, &coarse.d.upper, &coarse.d.boundary}) v->assign(nc, 0);
  for (int I = 0; I < nc; ++I) {
    for (int i = t.first[I]; i < t.first[I + 1]; ++i) {
      coarse.d.mass[I] += fine.d.mass[i];
      coarse.x[I] += fine.d.mass[i] * fine.x[i];
    }
    coarse.x[I] /= coarse.d.mass[I];
  }
  for (int I = 0; I + 1 < nc; ++I) coarse.d.upper[I] = coarse.d.lower[I + 1] = 1 / (coarse.x[I + 1] - coarse.x[I]);
  if (coarse.d.periodic)
    coarse.d.lower[0] = coarse.d.upper.back() = 1 / (coarse.period - (coarse.x.back() - coarse.x[0]));
  merge_boundary(fine, t, coarse);
  return coarse;
}

// Linear interpolation between coarse positions; to a Dirichlet value at an end; constant beyond a Neumann end.
void interpolate(const Line& fine, const Line& coarse, LineTransfer& t) {
  const int n = fine.size(), nc = coarse.size();
  t.parent.resize(n);
  t.other.resize(n);
  t.weight_parent.assign(n, 1);
  t.weight_other.assign(n, 0);
  for (int I = 0; I < nc; ++I)
    for (int i = t.first[I]; i < t.first[I + 1]; ++i) {
      t.parent[i] = t.other[i] = I;
      const double off = fine.x[i] - coarse.x[I];
      if (t.first[I + 1] - t.first[I] == 1) continue;
      const int side = off > 0 ? 1 : -1;
      int J = I + side;
      if (coarse.d.periodic) J = (J + nc) % nc;
      if (J >= 0 && J < nc) {
        if (J == I) continue;  // a single periodic unknown
        const double coupling = side > 0 ? coarse.d.upper[I] : coarse.d.lower[I];
        t.other[i] = J;
        t.weight_other[i] = std::abs(off) * coupling;
        t.weight_parent[i] = 1 - t.weight_other[i];
      } else if (const double b = fine.d.boundary[i]; b > 0) {
        t.weight_parent[i] = (1 / b) / (1 / b + std::abs(off));
      }
    }
}

// M_coarse = P^T M_fine 1, the mass of the coarse hat functions as a diagonal. With it and 1 / distance as couplings
// P^T A P <= A_coarse (both steps by Jensen's inequality), so that a coarse correction never overshoots, also where
// merged unknowns meet single ones: there the sum of merged masses would be up to a quarter too small per direction and
// level.
void lump_masses(const Line& fine, const LineTransfer& t, Line& coarse) {
  std::ranges::fill(coarse.d.mass, 0.0);
  for (Index i = 0; i < fine.x.size(); ++i) {
    coarse.d.mass[t.parent[i]] += t.weight_parent[i] * fine.d.mass[i];
    coarse.d.mass[t.other[i]] += t.weight_other[i] * fine.d.mass[i];
  }
}

void transpose(const Line& fine, const Line& coarse, LineTransfer& t) {
  const int n = fine.size(), nc = coarse.size();
  t.restriction.assign(4 * nc, 0);
  for (int I = 0; I < nc; ++I) {
    const int first = t.first[I], end = t.first[I + 1];
    for (int slot = 0; slot < 4; ++slot) {
      int i = first - 1 + slot;
      const bool own = i >= first && i < end;
      if (i > end) continue;  // beyond the nearest unknown of the neighbour
      if (i < 0 || i >= n) {
        if (!fine.d.periodic) continue;
        i = (i + n) % n;
      }
      const double p = own ? t.weight_parent[i] : (t.other[i] == I && t.parent[i] != I ? t.weight_other[i] : 0);
      t.restriction[4 * I + slot] = p * fine.d.mass[i] / coarse.d.mass[I];
    }
  }
}

// A direct solve takes 4 n (nx + ny + nz) operations: as much as the sweeps on a few levels, if lines are short.
bool is_solved_directly(const GridLevel& level, int coarse_size) {
  constexpr std::int64_t most = 1 << 18;
  std::int64_t lines = 0;
  for (const Line& l : level.line) lines += l.size();
  return level.count() <= std::max(coarse_size, 1) && level.count() * lines <= most;
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

// 2D as x, z and 1D as x: loops over planes can then be shared between threads, and rows are long.
std::array<std::size_t, 3> order_of_lines(const SeparableOperator& A) {
  std::array<std::size_t, 3> order{0, 1, 2};
  const auto is_single = [&](std::size_t d) { return A.direction[order[d]].size() == 1; };
  if (is_single(0)) std::swap(order[0], order[1]);
  if (is_single(0)) std::swap(order[0], order[2]);
  if (is_single(2)) std::swap(order[1], order[2]);
  return order;
}

std::vector<GridLevel> make_grids(const SeparableOperator& A, int coarse_size, int largest_alone) {
  std::vector<GridLevel> grids(1);
  const auto order = order_of_lines(A);
  for (std::size_t d = 0; d < 3; ++d) grids[0].line[d] = make_line(A.direction[order[d]]);
  while (!is_solved_directly(grids.back(), grids.size() == 1 ? largest_alone : coarse_size)) {
    GridLevel& fine = grids.back();
    const double limit = merge_limit(fine);
    GridLevel coarse;
    for (std::size_t d = 0; d < 3; ++d) coarse.line[d] = coarsen(fine.line[d], limit, fine.transfer[d]);
    grids.push_back(std::move(coarse));
  }
  for (GridLevel& grid : grids)
    for (const Line& l : grid.line) grid.two_colours = grid.two_colours && !(l.d.periodic && l.size() % 2 == 1);
  return grids;
}

double Line::smallest_distance() const {
  double strongest = 0;
  for (double c : d.upper) strongest = std::max(strongest, c);
  return strongest > 0 ? 1 / strongest : std::numeric_limits<double>::infinity();
}

Line make_line(const SeparableDirection& direction) {
  Line line{direction, std::vector<double>(direction.mass.size(), 0), 0};
  for (Index i = 0; i + 1 < line.x.size(); ++i) {
    if (!(direction.upper[i] > 0))
      throw std::invalid_argument("multigrid: neighbours along a direction must be coupled");
    line.x[i + 1] = line.x[i] + 1 / direction.upper[i];
  }
  if (direction.periodic) line.period = line.x.back() - line.x[0] + 1 / direction.upper.back();
  return line;
}

Line coarsen(const Line& fine, double limit, LineTransfer& t) {
  t.first = first_of_each(fine.size(), choose_pairs(fine, limit));
  Line coarse = merge(fine, t);
  interpolate(fine, coarse, t);
  lump_masses(fine, t, coarse);
  transpose(fine, coarse, t);
  return coarse;
}

int coarse_size(const Line& fine, double limit) {
  return fine.size() - static_cast<int>(choose_pairs(fine, limit).size());
}

}  // namespace weir::multigrid
