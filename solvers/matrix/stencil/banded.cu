// Banded: code shared by both spaces, and the device products: one thread per two cells of a column, i along the
// lanes, so bands are read in whole lines. Grid rows without remainder, nearly all, cost two extra reads. Sums use
// the fixed tree of reduce.hpp and are reproducible bit for bit.
#include "solvers/matrix/stencil/banded.hpp"

#include <algorithm>
#include <string>
#include <type_traits>

#include "base/error.hpp"
#include "solvers/device/columns.hpp"
#include "solvers/device/on_host.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/device/vector_ops.hpp"

namespace weir {
namespace banded_products {

WEIR_HD inline double remainder_at(const RemainderView& R, int g, const double* x, int c) {
  const int end = R.first[g + 1];
  int q = R.first[g];
  while (q < end && R.row[q] < c) ++q;
  if (q == end || R.row[q] != c) return 0;
  double s = 0;
  for (int e = R.start[q]; e < R.start[q + 1]; ++e) s += R.value[e] * x[R.column[e]];
  return s;
}

struct BandedColumn {
  const BandedView& A;
  const double* x;
  int first, row, plane;                // the cell of k = 0; its grid row
  int west, east, south, north;         // offsets of the neighbours; 0: none
  int band_west, band_south, mirrored;  // offsets of the bands towards lower neighbours
  // bands; if only the upper ones are stored, the first three point to them
  const double *alpha, *beta, *gamma, *delta;
  const double *epsilon, *zeta, *eta;

  WEIR_HD BandedColumn(const BandedView& view, const double* vector, int i, int j)
      : A(view), x(vector), mirrored(view.upper_only ? 1 : 0) {
    const BlockStencilView& S = A.bands;
    const Extents e = S.cells;
    first = j * e.nx + i, row = j, plane = e.nx * e.ny;
    west = i > 0 ? -1 : (S.periodic.x ? e.nx - 1 : 0);
    east = i + 1 < e.nx ? 1 : (S.periodic.x ? 1 - e.nx : 0);
    south = j > 0 ? -e.nx : (S.periodic.y ? plane - e.nx : 0);
    north = j + 1 < e.ny ? e.nx : (S.periodic.y ? e.nx - plane : 0);
    band_west = mirrored * west, band_south = mirrored * south;
    delta = S.slot_blocks(slot::delta), epsilon = S.slot_blocks(slot::epsilon);
    zeta = S.slot_blocks(slot::zeta), eta = S.slot_blocks(slot::eta);
    alpha = mirrored ? eta : S.slot_blocks(slot::alpha);  // A_{c,to} = A_{to,c}
    beta = mirrored ? zeta : S.slot_blocks(slot::beta);
    gamma = mirrored ? epsilon : S.slot_blocks(slot::gamma);
  }
  WEIR_HD int below(int k) const { return k > 0 ? -plane : (A.bands.periodic.z ? plane * (A.bands.cells.nz - 1) : 0); }
  WEIR_HD int above(int k) const {
    const int nz = A.bands.cells.nz;
    return k + 1 < nz ? plane : (A.bands.periodic.z ? plane * (1 - nz) : 0);
  }
  WEIR_HD double neighbour(int c, int to) const { return to != 0 ? x[c + to] : 0; }

  // product[s] = (A x)_c of the cells of a column. All loads come before any arithmetic and nothing is written, so
  // that all loads are in flight at once. A value that points out of the grid is finite and multiplied by 0.
  template <int Layers>
  WEIR_HD void products(int column, double (&product)[Layers]) const {
    const int nz = A.bands.cells.nz, start = Layers * column;
    double band[Layers][slot::count], along_z[Layers + 2], around[Layers][4];
    along_z[0] = neighbour(first + start * plane, below(start));
    along_z[1] = x[first + start * plane];
    for_column<Layers>(column, nz, [&](int k, int s) {
      const int c = first + k * plane, down = below(k), up = above(k);
      along_z[s + 2] = neighbour(c, up);
      band[s][slot::alpha] = down != 0 ? alpha[c + mirrored * down] : 0;  // 2D has none
      band[s][slot::beta] = beta[c + band_south];
      band[s][slot::gamma] = gamma[c + band_west];
      band[s][slot::delta] = delta[c];
      band[s][slot::epsilon] = epsilon[c];
      band[s][slot::zeta] = zeta[c];
      band[s][slot::eta] = up != 0 ? eta[c] : 0;
      around[s][0] = neighbour(c, south), around[s][1] = neighbour(c, west);
      around[s][2] = neighbour(c, east), around[s][3] = neighbour(c, north);
    });
    for_column<Layers>(column, nz, [&](int, int s) {
      const double(&a)[slot::count] = band[s];
      double sum = a[slot::alpha] * along_z[s];
      sum += a[slot::beta] * around[s][0];
      sum += a[slot::gamma] * around[s][1];
      sum += a[slot::delta] * along_z[s + 1];
      sum += a[slot::epsilon] * around[s][2];
      sum += a[slot::zeta] * around[s][3];
      sum += a[slot::eta] * along_z[s + 2];
      product[s] = sum;
    });
    if (A.remainder.rows == 0) return;
    for (int k = start; k < start + Layers && k < nz; ++k) {  // the selection of s keeps product in registers
      const double more = remainder_at(A.remainder, row + k * A.bands.cells.ny, x, first + k * plane);
      for (int s = 0; s < Layers; ++s) product[s] += start + s == k ? more : 0;
    }
  }
};

// cell(c, (A x)_c) for the cells of a column.
template <int Layers, class F>
WEIR_HD void for_products(const BandedView& A, const double* x, int i, int j, int column, const F& cell) {
  const BandedColumn of(A, x, i, j);
  double product[Layers] = {};
  of.template products<Layers>(column, product);
  for_column<Layers>(column, A.bands.cells.nz, [&](int k, int s) { cell(of.first + k * of.plane, product[s]); });
}

// At most two cells per thread: with more, fewer than two workgroups of a reduction are resident per multiprocessor.
template <class F>
auto by_layers(const Extents& e, const F& f) {
  return e.nz == 1 || e.count() < 1 << 18 ? f.template operator()<1>() : f.template operator()<2>();
}

template <int Layers, class F>
void for_layers(const BandedView& A, const double* x, const F& cell) {
  const Extents e = A.bands.cells;
  for_each<Device>(Extents{e.nx, e.ny, parts(e.nz, Layers)},
                   [=] WEIR_HD(int i, int j, int column) { for_products<Layers>(A, x, i, j, column, cell); });
}
template <class F>
void for_cells(const BandedView& A, const double* x, const F& cell) {
  by_layers(A.bands.cells, [&]<int Layers>() { for_layers<Layers>(A, x, cell); });
}

// Adds up the return values, a double or a Pair.
template <class T, int Layers, class F>
T sum_layers(const BandedView& A, const double* x, const F& cell) {
  const Extents e = A.bands.cells;
  const TileOrder order({e.nx, e.ny, parts(e.nz, Layers)});
  const auto column_sum = [=] WEIR_HD(int index) {
    T all{};
    int i, j, column;
    if (order.find(index, i, j, column))
      for_products<Layers>(A, x, i, j, column, [&](int c, double v) { all = all + cell(c, v); });
    return all;
  };
  if constexpr (std::is_same_v<T, Pair>)
    return sum2<Device>(order.count(), column_sum);
  else
    return sum<Device>(order.count(), column_sum);
}
template <class T, class F>
T sum_cells(const BandedView& A, const double* x, const F& cell) {
  return by_layers(A.bands.cells, [&]<int Layers>() { return sum_layers<T, Layers>(A, x, cell); });
}

Pair product(Device, const BandedView& A, Product p, const double* b, const double* x, double* y) {
  switch (p) {
    case Product::apply:
      for_cells(A, x, [=] WEIR_HD(int c, double v) { y[c] = v; });
      return {};
    case Product::apply_dot:
      return {sum_cells<double>(A, x,
                                [=] WEIR_HD(int c, double v) {
                                  y[c] = v;
                                  return v * x[c];
                                }),
              0};
    case Product::apply_dots:
      return sum_cells<Pair>(A, x, [=] WEIR_HD(int c, double v) {
        y[c] = v;
        return Pair{v * b[c], v * v};
      });
    case Product::residual:
      for_cells(A, x, [=] WEIR_HD(int c, double v) { y[c] = b[c] - v; });
      return {};
    default:
      return {sum_cells<double>(A, x,
                                [=] WEIR_HD(int c, double v) {
                                  const double r = b[c] - v;
                                  y[c] = r;
                                  return r * r;
                                }),
              0};
  }
}

// first[g]: number of remainder rows before grid row g, by bisection.
template <class Space>
void find_first(const RemainderView& R, int nx, int grid_rows) {
  for_each<Space>(grid_rows + 1, [=] WEIR_HD(int g) {
    int low = 0, high = R.rows;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (R.row[middle] / nx < g)
        low = middle + 1;
      else
        high = middle;
    }
    R.first[g] = low;
  });
}

}  // namespace banded_products

namespace {

template <class T, class Space>
void grow(Array<T, Space>& array, std::int64_t n) {
  if (array.size() < n) array = Array<T, Space>(n + n / 4);
}

void check(const RemainderData& d, int cells) {
  const auto fail = [](const std::string& what) { throw Error(Exit::usage, "banded: the remainder's " + what); };
  if (d.start.size() != d.row.size() + 1 || d.start.front() != 0 || !std::ranges::is_sorted(d.start) ||
      d.start.back() != static_cast<int>(d.column.size()) || d.column.size() != d.value.size())
    fail("array sizes do not match");
  for (std::size_t q = 0; q < d.row.size(); ++q)
    if (d.row[q] < 0 || d.row[q] >= cells || (q > 0 && d.row[q] <= d.row[q - 1]))
      fail("row " + std::to_string(d.row[q]) + " is not a cell or not in ascending order");
  for (const int c : d.column)
    if (c < 0 || c >= cells) fail("column " + std::to_string(c) + " is not a cell");
}

}  // namespace

BandedGrid cubes(Extents e, Periodic periodic) {
  BandedGrid grid;
  const int size[3] = {e.nx, e.ny, e.nz};
  const bool wraps[3] = {periodic.x, periodic.y, periodic.z};
  for (std::size_t d = 0; d < 3; ++d) {
    for (int i = 0; i <= size[d]; ++i) grid.faces[d].push_back(i);
    const EndCondition end = wraps[d] ? EndCondition::periodic : EndCondition::neumann;
    grid.ends[d] = {end, end};
  }
  return grid;
}

template <class Space>
Banded<Space>::Banded(Extents cells, Periodic periodic)
    : Banded::FusedProducts(cells, 1, periodic), first_(std::int64_t{cells.ny} * cells.nz + 1), zeros_(cells.nx) {
  fill<Space>(0, zeros_.view());
  set_grid(cubes(cells, periodic));
  has_grid_ = false;
}

std::array<SeparableDirection, 3> directions_of(const BandedGrid& grid, Extents e, Periodic p) {
  std::array<SeparableDirection, 3> directions;
  const std::size_t size[3] = {static_cast<std::size_t>(e.nx), static_cast<std::size_t>(e.ny),
                               static_cast<std::size_t>(e.nz)};
  const bool wraps[3] = {p.x, p.y, p.z};
  for (std::size_t d = 0; d < 3; ++d) {
    const auto& ends = grid.ends[d];
    if (grid.faces[d].size() != size[d] + 1 || (ends[0] == EndCondition::periodic) != wraps[d])
      throw Error(Exit::usage, "banded: grid and matrix differ in size or in the periodic directions");
    directions[d] = cell_centred_direction(grid.faces[d], ends[0], ends[1]);
  }
  return directions;
}

template <class Space>
void Banded<Space>::set_grid(const BandedGrid& grid) {
  direction_ = directions_of(grid, this->cells(), this->periodic());
  has_grid_ = true;
}

template <class Space>
void Banded<Space>::set_directions(const std::array<SeparableDirection, 3>& directions) {
  const Extents e = this->cells();
  if (directions[0].size() != e.nx || directions[1].size() != e.ny || directions[2].size() != e.nz)
    throw Error(Exit::usage, "banded: grid and matrix differ in size");
  direction_ = directions;
  has_grid_ = true;
}

template <class Space>
BandedView Banded<Space>::banded() const {
  return {this->stencil(), remainder(), is_symmetric(), zeros_.data()};
}

template <class Space>
Work Banded<Space>::apply_work() const {
  const std::int64_t n = this->rows(), stored = this->stencil().slots,
                     read = is_symmetric() ? (stored + 1) / 2 : stored;
  return {8 * n * (read + 2) + std::int64_t{20} * remainder_entries_, 2 * n * stored + 2 * remainder_entries_};
}

template <class Space>
void Banded<Space>::resize_remainder(int rows, int entries) {
  grow(row_, rows);
  grow(start_, rows + 1);
  grow(column_, entries);
  grow(value_, entries);
  remainder_rows_ = rows;
  remainder_entries_ = entries;
}
template <class Space>
RemainderView Banded<Space>::remainder() const {
  return {remainder_rows_, row_.data(), start_.data(), column_.data(), value_.data(), first_.data()};
}
template <class Space>
void Banded<Space>::finish_remainder() {
  const Extents e = this->cells();
  banded_products::find_first<Space>(remainder(), e.nx, e.ny * e.nz);
}
template <class Space>
void Banded<Space>::set_remainder(const RemainderData& d) {
  check(d, this->rows());
  resize_remainder(static_cast<int>(d.row.size()), static_cast<int>(d.column.size()));
  row_.upload(d.row);
  start_.upload(d.start);
  column_.upload(d.column);
  value_.upload(d.value);
  finish_remainder();
}

template <class Space>
RemainderData Banded<Space>::remainder_on_host() const {
  RemainderData d{{}, {0}, {}, {}};
  if (remainder_rows_ == 0) return d;
  d.row = on_host<Space>(row_.data(), remainder_rows_);
  d.start = on_host<Space>(start_.data(), remainder_rows_ + 1);
  d.column = on_host<Space>(column_.data(), d.start.back());
  d.value = on_host<Space>(value_.data(), d.start.back());
  return d;
}

template class Banded<Host>;
template class Banded<Device>;

}  // namespace weir
