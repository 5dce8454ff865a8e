#include "solvers/preconditioner/fast_poisson/cut_rows.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"

namespace weir {
namespace cut_rows {

constexpr double rounding = 1e-10;  // couplings of A and L that differ by less, relative to L, are equal

inline constexpr unsigned char is_wet = 1, is_cut = 2, is_larger = 4, is_near = 8;

// L on the grid.
struct WholeView {
  const double* line[3] = {};  // mass, lower, upper, boundary of each direction
  int n[3] = {};
  double scale = 1;

  WEIR_HD double mass(int d, int i) const { return line[d][i]; }
  WEIR_HD double across(int d, const int* at) const {
    const int e = d == 0 ? 1 : 0, f = d == 2 ? 1 : 2;
    return scale * mass(e, at[e]) * mass(f, at[f]);
  }
  // Of the low (end = 0) or the high face (1) of direction d.
  WEIR_HD double coupling(int d, int end, const int* at) const {
    return across(d, at) * line[d][(1 + end) * n[d] + at[d]];
  }
  WEIR_HD double boundary(const int* at) const {
    double sum = 0;
    for (int d = 0; d < 3; ++d) sum += across(d, at) * line[d][3 * n[d] + at[d]];
    return sum;
  }
};

WEIR_HD inline int slot_of(int d, int end) { return end == 0 ? 2 - d : 4 + d; }

struct Entry {
  double of_whole, of_matrix;
};
WEIR_HD inline Entry coupling(const WholeView& L, const BlockStencilView& A, int d, int end, const int* at, int cell) {
  const double l = L.coupling(d, end, at);
  return {l, l > 0 ? -A.slot_blocks(slot_of(d, end))[cell] : 0};
}

}  // namespace cut_rows

using namespace cut_rows;

namespace {

template <class Space>
WholeView whole_view(const SeparableOperator& L, const std::array<Array<double, Space>, 3>& lines) {
  WholeView v;
  for (std::size_t d = 0; d < 3; ++d) {
    v.line[d] = lines[d].data();
    v.n[d] = L.direction[d].size();
  }
  v.scale = L.scale;
  return v;
}

[[noreturn]] void refuse(const std::string& why) {
  throw Error(Exit::usage, "capacitance needs a matrix that differs from that of its grid in few rows: " + why);
}

}  // namespace

template <class Space>
void CutRows<Space>::find(const Banded<Space>& A) {
  if (!A.is_symmetric()) refuse("this one is not symmetric");
  const SeparableOperator before = whole_;
  whole_.direction = A.directions();
  whole_.scale = 1;
  if (lines_[0].size() == 0 || whole_.direction != before.direction)
    for (std::size_t d = 0; d < 3; ++d) {
      const SeparableDirection& line = whole_.direction[d];
      std::vector<double> all;
      for (const auto* part : {&line.mass, &line.lower, &line.upper, &line.boundary})
        all.insert(all.end(), part->begin(), part->end());
      lines_[d] = Array<double, Space>(all);
    }
  if (!A.has_grid()) {  // cells of one size: their couplings are the largest ones
    const BlockStencilView a = A.stencil();
    const WholeView L = whole_view(whole_, lines_);
    const Extents cells = A.cells();
    whole_.scale = max_abs<Space>(cells.count(), [=] WEIR_HD(int c) {
      const int at[3] = {c % cells.nx, c / cells.nx % cells.ny, c / (cells.nx * cells.ny)};
      double largest = 0;
      for (int d = 0; d < 3; ++d) {
        const Entry v = coupling(L, a, d, 1, at, c);
        if (v.of_whole > 0 && v.of_matrix > largest * v.of_whole) largest = v.of_matrix / v.of_whole;
      }
      return largest;
    });
  }
  mark(A);
  fill(A);
}

// The flags of all cells, and the list of near rows.
template <class Space>
void CutRows<Space>::mark(const Banded<Space>& A) {
  const BlockStencilView a = A.stencil();
  const WholeView L = whole_view(whole_, lines_);
  const Extents cells = A.cells();
  const auto count = static_cast<std::size_t>(cells.count());
  if (flags_.size() != cells.count()) {
    flags_ = Array<unsigned char, Space>(cells.count());
    marks_.resize(count);
  }
  unsigned char* flags = flags_.data();
  const double* diagonal = diagonal_ = a.slot_blocks(slot::delta);
  for_each<Space>(cells, [=] WEIR_HD(int i, int j, int k) {
    const int c = cells.index(i, j, k), at[3] = {i, j, k};
    double sum = 0;
    bool cut = false, larger = false;
    for (int d = 0; d < 3; ++d)
      for (int end = 0; end < 2; ++end) {
        const Entry v = coupling(L, a, d, end, at, c);
        sum += v.of_matrix;
        cut |= v.of_whole - v.of_matrix > rounding * v.of_whole;
        larger |= v.of_matrix > (1 + rounding) * v.of_whole || v.of_matrix < 0;
      }
    const double ends = L.boundary(at), difference = ends - (diagonal[c] - sum), small = rounding * (sum + ends);
    cut |= difference > small;
    larger |= difference < -small;
    const bool wet = sum > 0;
    flags[c] = wet ? static_cast<unsigned char>(is_wet + (cut ? is_cut : 0) + (larger ? is_larger : 0)) : 0;
  });
  flags_.download(marks_);
  rows_.clear();
  wet_count_ = 0;
  int larger = 0;
  for (std::size_t c = 0; c < count; ++c) {
    wet_count_ += marks_[c] & is_wet;
    larger += (marks_[c] & is_larger) != 0;
    if (marks_[c] & is_cut) rows_.push_back(static_cast<int>(c));
  }
  if (larger > 0)
    refuse(std::to_string(larger) + " of its " + std::to_string(wet_count_) + " rows have larger entries than that");
  cut_ = static_cast<int>(rows_.size());
  if (cut_ > wet_count_ / 2)
    refuse("this one does in " + std::to_string(cut_) + " of " + std::to_string(wet_count_) + " rows");
  for (int q = 0; q < cut_; ++q)
    for (int s = 0; s < slot::count; ++s) {
      const int c = a.neighbour(rows_[static_cast<std::size_t>(q)], s);
      if (c < 0 || marks_[static_cast<std::size_t>(c)] != is_wet) continue;
      marks_[static_cast<std::size_t>(c)] |= is_near;
      rows_.push_back(c);
    }
}

template <class Space>
void CutRows<Space>::fill(const Banded<Space>& A) {
  const std::int64_t n = static_cast<std::int64_t>(rows_.size());
  cell_.assign(rows_);
  neighbour_.resize(slot::count * n);
  a_.resize(slot::count * n);
  e_.resize(slot::count * n);
  const int near = static_cast<int>(n), *cell = cell_.data();
  int* neighbour = neighbour_.data();
  double *entry = a_.data(), *removed = e_.data();
  const BlockStencilView a = A.stencil();
  const WholeView L = whole_view(whole_, lines_);
  const Extents cells = A.cells();
  for_each<Space>(n, [=] WEIR_HD(int q) {
    const int c = cell[q], at[3] = {c % cells.nx, c / cells.nx % cells.ny, c / (cells.nx * cells.ny)};
    const double diagonal = a.slot_blocks(slot::delta)[c];
    double sum = 0;
    for (int d = 0; d < 3; ++d)
      for (int end = 0; end < 2; ++end) {
        const int s = slot_of(d, end), other = a.neighbour(c, s);
        const Entry v = coupling(L, a, d, end, at, c);
        const double difference = v.of_whole - v.of_matrix;
        neighbour[s * near + q] = other < 0 ? c : other;
        entry[s * near + q] = other < 0 ? 0 : -v.of_matrix;
        removed[s * near + q] = difference > rounding * v.of_whole ? difference : 0;
        sum += v.of_matrix;
      }
    const double ends = L.boundary(at), difference = ends - (diagonal - sum);
    neighbour[slot::delta * near + q] = c;
    entry[slot::delta * near + q] = diagonal;
    removed[slot::delta * near + q] = difference > rounding * (sum + ends) ? difference : 0;
  });
}

template <class Space>
CutRowsView CutRows<Space>::view() const {
  return {
      cut_,     static_cast<int>(rows_.size()), cell_.data(), neighbour_.data(), a_.data(), e_.data(), flags_.data(),
      diagonal_};
}

template <class Space>
RowRanges CutRows<Space>::rows_near() const {
  const int nx = whole_.direction[0].size(), ny = whole_.direction[1].size(), nz = whole_.direction[2].size();
  const auto planes = static_cast<std::size_t>(nz);
  RowRanges r{std::vector<int>(planes, ny), std::vector<int>(planes, 0)};
  const auto add = [&](int j, int k) {
    if (k < 0 || k >= nz) k = (k + nz) % nz;  // beyond a periodic end, or harmless
    auto &low = r.low[static_cast<std::size_t>(k)], &high = r.high[static_cast<std::size_t>(k)];
    low = std::min(low, std::max(j, 0));
    high = std::max(high, std::min(j + 1, ny));
    if (whole_.direction[1].periodic && (j < 0 || j >= ny)) low = 0, high = ny;
  };
  for (const int c : rows_) {
    const int j = c / nx % ny, k = c / (nx * ny);
    for (int step = -1; step <= 1; ++step) {
      add(j + step, k);
      if (nz > 1) add(j, k + step);
    }
  }
  for (std::size_t k = 0; k < planes; ++k)
    if (r.low[k] >= r.high[k]) r.low[k] = r.high[k] = 0;
  return r;
}

template <class Space>
std::int64_t CutRows<Space>::bytes() const {
  const auto near = static_cast<std::int64_t>(rows_.size());
  return flags_.size() + static_cast<std::int64_t>(marks_.size()) + near * (4 + slot::count * 20);
}

template class CutRows<Host>;
template class CutRows<Device>;

}  // namespace weir
