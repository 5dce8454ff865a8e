#include "solvers/plugin/plugin_matrix.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "base/error.hpp"
#include "solvers/matrix/algorithms/triangular.hpp"
#include "solvers/matrix/visit.hpp"

namespace weir {
namespace {

std::vector<double> centres_of(const std::vector<double>& widths) {
  std::vector<double> centres;
  double begin = 0;
  for (const double w : widths) {
    centres.push_back(begin + w / 2);
    begin += w;
  }
  return centres;
}

std::vector<double> centres_of(const std::array<SeparableDirection, 3>& directions) {
  const std::vector<double> x = centres_of(directions[0].mass), y = centres_of(directions[1].mass),
                            z = centres_of(directions[2].mass);
  std::vector<double> all;
  for (const double c : z)
    for (const double b : y)
      for (const double a : x) all.insert(all.end(), {a, b, c});
  return all;
}

}  // namespace

template <class Space>
void PluginMatrix<Space>::set_rank(int rank, int ranks) {
  seen_.rank = rank;
  seen_.ranks = ranks;
}

// `pattern_` still owns the arrays of the last pattern, so a new pattern has other addresses.
template <class Space>
bool PluginMatrix<Space>::take(const Matrix<Space>& A) {
  const weir_matrix before = seen_;
  seen_ = {};
  seen_.bytes = sizeof(weir_matrix);
  seen_.space = std::is_same_v<Space, Host> ? WEIR_HOST : WEIR_DEVICE;
  set_rank(before.rank, std::max(before.ranks, 1));
  seen_.cell = A.block();
  seen_.symmetric = A.is_symmetric();
  seen_.constant_null_space = A.has_constant_null_space();
  seen_.threads = useful_threads();
  visit(A, Overloaded{[&](const BlockCsr<Space>& rows) {
                        const unsigned wanted = rows.block() == 1 ? WEIR_CSR | WEIR_BLOCK_CSR : WEIR_BLOCK_CSR;
                        take_rows(formats_ & wanted ? rows : converted(A));
                      },
                      [&](const Banded<Space>& bands) {  // remainder entries lie in no diagonal
                        if (!(formats_ & WEIR_DIAGONALS) || bands.remainder().rows > 0) return take_rows(converted(A));
                        take_stencil(bands, bands.banded().upper_only);
                      },
                      [&](const BlockStencil<Space>& stencil) {
                        if (!(formats_ & WEIR_DIAGONALS)) return take_rows(converted(A));
                        take_stencil(stencil, false);
                      },
                      [&](const Matrix<Space>&) { take_rows(converted(A)); }});
  const bool same = before.bytes && before.format == seen_.format && before.rows == seen_.rows &&
                    before.block == seen_.block && before.row_start == seen_.row_start &&
                    std::equal(before.grid, before.grid + 3, seen_.grid) &&
                    std::equal(before.periodic, before.periodic + 3, seen_.periodic) &&
                    std::equal(before.diagonal, before.diagonal + 7, seen_.diagonal);
  if (same) {
    seen_.centre = before.centre, seen_.line = before.line, seen_.lines = before.lines;
  } else {
    take_knowledge(A);
  }
  return !same;
}

template <class Space>
void PluginMatrix<Space>::take_stencil(const BlockStencil<Space>& A, bool upper_only) {
  const BlockStencilView v = A.stencil();
  seen_.format = WEIR_DIAGONALS;
  seen_.rows = A.rows();
  seen_.block = v.n;
  const std::array cells{v.cells.nx, v.cells.ny, v.cells.nz};
  const std::array periodic{v.periodic.x, v.periodic.y, v.periodic.z};
  for (std::size_t d = 0; d < 3; ++d) seen_.grid[d] = cells[d], seen_.periodic[d] = periodic[d];
  for (int s = upper_only ? slot::delta : v.first; s < v.first + v.slots; ++s) seen_.diagonal[s] = v.slot_blocks(s);
}

template <class Space>
void PluginMatrix<Space>::take_rows(const BlockCsr<Space>& A) {
  pattern_ = A.pattern();
  const BlockCsrView v = A.view();
  seen_.format = A.block() == 1 && (formats_ & WEIR_CSR) ? WEIR_CSR : WEIR_BLOCK_CSR;
  seen_.rows = A.rows();
  seen_.block = A.block();
  seen_.row_start = v.row_start.data();
  seen_.column = v.column.data();
  seen_.diagonal_entry = v.diagonal.data();
  seen_.value = v.value.data();
}

template <class Space>
const BlockCsr<Space>& PluginMatrix<Space>::converted(const Matrix<Space>& A) {
  if (!(formats_ & (WEIR_CSR | WEIR_BLOCK_CSR)))
    throw Error(Exit::usage, plugin_ + ": supports diagonals only, but this matrix has entries outside of them");
  return converted_.of(A);
}

template <class Space>
void PluginMatrix<Space>::take_knowledge(const Matrix<Space>& A) {
  centre_.clear();
  line_.clear();
  visit(A, Overloaded{[&](const BlockSparse<Space>& rows) {
                        for (const RowRange& r : rows.lines()) line_.insert(line_.end(), {r.first, r.count});
                      },
                      [&](const Banded<Space>& bands) {
                        if (bands.has_grid()) centre_ = centres_of(bands.directions());
                      },
                      [&](const Matrix<Space>& other) {
                        if (other.separable()) centre_ = centres_of(other.separable()->direction);
                      }});
  seen_.centre = centre_.empty() ? nullptr : centre_.data();
  seen_.lines = static_cast<std::int32_t>(line_.size() / 2);
  seen_.line = line_.empty() ? nullptr : line_.data();
}

template class PluginMatrix<Host>;
template class PluginMatrix<Device>;

}  // namespace weir
