// Banded: what both spaces share, and the device form: one thread a cell, i along the lanes, so that every band is read
// in whole lines. A grid row that holds no row of the remainder, nearly every one, costs two reads more.
#include "solvers/matrix/stencil/banded.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "solvers/device/on_host.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/matrix/device_products.hpp"

namespace weir {
namespace banded_products {

WEIR_HD inline double remainder_at(const RemainderView& R, int nx, const double* x, int c) {
  if (R.rows == 0) return 0;
  const int end = R.first[c / nx + 1];
  int q = R.first[c / nx];
  while (q < end && R.row[q] < c) ++q;
  if (q == end || R.row[q] != c) return 0;
  double s = 0;
  for (int e = R.start[q]; e < R.start[q + 1]; ++e) s += R.value[e] * x[R.column[e]];
  return s;
}

// Of A x.
struct BandedRow {
  BandedView A;
  const double* x;
  WEIR_HD double operator()(int c) const {
    const BlockStencilView& S = A.bands;
    double s = 0;
    for (int t = S.first; t < S.first + S.slots; ++t) {
      const int to = S.neighbour(c, t);
      if (to < 0) continue;
      const bool mirrored = A.upper_only && t < slot::delta;  // A_{c,to} = A_{to,c}
      s += S.slot_blocks(mirrored ? 6 - t : t)[mirrored ? to : c] * x[to];
    }
    return s + remainder_at(A.remainder, S.cells.nx, x, c);
  }
};

Pair product(Device, const BandedView& A, Product p, const double* b, const double* x, double* y) {
  return device_product(p, A.bands.cells.count(), BandedRow{A, x}, b, x, y);
}

// first[g]: how many rows of the remainder lie before grid row g, by bisection.
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
  if (d.start.size() != d.row.size() + 1 || d.start.front() != 0 || !std::is_sorted(d.start.begin(), d.start.end()) ||
      d.start.back() != static_cast<int>(d.column.size()) || d.column.size() != d.value.size())
    fail("arrays do not fit each other");
  for (std::size_t q = 0; q < d.row.size(); ++q)
    if (d.row[q] < 0 || d.row[q] >= cells || (q > 0 && d.row[q] <= d.row[q - 1]))
      fail("row " + std::to_string(d.row[q]) + " is no cell or not in ascending order");
  for (const int c : d.column)
    if (c < 0 || c >= cells) fail("column " + std::to_string(c) + " is no cell");
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
      throw Error(Exit::usage, "banded: the grid has other sizes or other periodic directions than the matrix");
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
    throw Error(Exit::usage, "banded: the grid has other sizes than the matrix");
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
