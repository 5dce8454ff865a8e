#include "solvers/c/bands.hpp"

#include <limits>
#include <string>

#include "solvers/matrix/block/block_rows.hpp"
#include "solvers/matrix/facts.hpp"

namespace weir::c {
namespace {

Extents cells_of(const weir_stencil& A) { return {A.cells[0], A.cells[1], A.cells[2]}; }
Periodic periodic_of(const weir_stencil& A) {
  return {(A.periodic & WEIR_X) != 0, (A.periodic & WEIR_Y) != 0, (A.periodic & WEIR_Z) != 0};
}

}  // namespace

void check_shape(const weir_stencil& A) {
  constexpr std::int64_t most = std::numeric_limits<int>::max() / slot::count;
  std::int64_t all = 1;
  for (const int n : A.cells) {
    if (n < 1 || n > most) refuse("a number of cells is " + std::to_string(n) + "; expected 1 or more");
    all *= n;
    if (all > most) refuse("more than " + std::to_string(most) + " cells");
  }
  if (A.periodic > (WEIR_X | WEIR_Y | WEIR_Z)) refuse("periodic has other bits than WEIR_X, WEIR_Y and WEIR_Z");
  if (!A.value) refuse("value is a null pointer");
  if (A.flags & WEIR_BORROW) refuse("WEIR_BORROW: a stencil cannot be borrowed; its values are copied");
}

weir_csr as_rows(const weir_stencil& A) {
  weir_csr rows{};
  rows.bytes = sizeof rows;
  rows.flags = A.flags & ~(WEIR_COLUMN_MAJOR | WEIR_ONE_BASED);
  rows.rows = cells_of(A).count();
  rows.block = 1;
  return rows;
}

template <class Space>
Bands<Space>::Bands(const weir_stencil& shape, const std::vector<double>& values)
    : shape_(shape), A_(cells_of(shape), periodic_of(shape)) {
  shape_.value = nullptr;
  A_.upload(values);
  if (shape.flags & WEIR_FACTS_GIVEN) {
    A_.set_symmetric(shape.flags & WEIR_SYMMETRIC);
    A_.set_constant_null_space(shape.flags & WEIR_CONSTANT_NULL_SPACE);
  } else {
    const BlockCsrData rows = entries();
    A_.set_symmetric(is_symmetric(rows));
    A_.set_constant_null_space(has_constant_null_space(rows));
  }
}

template <class Space>
BlockCsrData Bands<Space>::entries() const {
  return block_rows<Space>(A_);
}

template <class Space>
std::unique_ptr<OwnMatrix<Space>> Bands<Space>::transposed() const {
  std::vector<double> from(static_cast<std::size_t>(A_.entries())), to(from.size());
  A_.download(from);
  const BlockStencilView stencil = A_.stencil(), source = stencil.on(from.data()), target = stencil.on(to.data());
  for (int cell = 0; cell < A_.rows(); ++cell)
    for (int s = stencil.first; s < stencil.first + stencil.slots; ++s)
      if (const int other = stencil.neighbour(cell, s); other >= 0)
        *target.block(other, slot::count - 1 - s) = *source.block(cell, s);
  weir_stencil shape = shape_;
  shape.flags |= WEIR_FACTS_GIVEN | (A_.is_symmetric() ? WEIR_SYMMETRIC : 0u) |
                 (A_.has_constant_null_space() ? WEIR_CONSTANT_NULL_SPACE : 0u);
  return std::make_unique<Bands>(shape, to);
}

template class Bands<Host>;
template class Bands<Device>;

}  // namespace weir::c
