// BlockStencil: what both spaces share.
#include "solvers/matrix/block_stencil.hpp"

#include <limits>
#include <string>

#include "base/error.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/matrix/block_lanes.hpp"
#include "solvers/matrix/block_limit.hpp"
#include "solvers/matrix/block_stencil_device.hpp"
#include "solvers/matrix/block_stencil_host.hpp"

namespace weir {
namespace {

int stored_slots(Extents cells) { return cells.nz == 1 ? 5 : 7; }

std::int64_t checked_entries(Extents e, int n) {
  const std::int64_t cells = std::int64_t{1} * e.nx * e.ny * e.nz;
  if (e.nx < 1 || e.ny < 1 || e.nz < 1 || n < 1)
    throw Error(Exit::usage, "block stencil: cells and block size must be at least 1");
  refuse_large_block(n, lanes::max_block, "block stencil");
  if (cells * n > std::numeric_limits<int>::max())
    throw Error(Exit::usage, "block stencil: more than 2^31 unknowns in one matrix");
  return cells * stored_slots(e) * n * n;
}

template <class Space>
void set_zero(double* values, int blocks, int block_entries) {
  for_each<Space>(blocks, [=] WEIR_HD(int c) {
    for (int e = 0; e < block_entries; ++e) values[std::int64_t{c} * block_entries + e] = 0;
  });
}

template <class Space>
double squared_norm(const double* r, int size) {
  return sum<Space>(size, [=] WEIR_HD(int i) { return r[i] * r[i]; });
}

void device_product(BlockProductForm form, const BlockStencilView& A, const double* base, double factor,
                    const double* x, double* out) {
  if (form == BlockProductForm::columns)
    block_stencil_device::columns_product(A, base, factor, x, out);
  else
    block_stencil_device::entry_product(A, base, factor, x, out);
}

}  // namespace

template <class Space>
BlockStencil<Space>::BlockStencil(Extents cells, int block, Periodic periodic)
    : cells_(cells), periodic_(periodic), n_(block), values_(checked_entries(cells, block)) {
  set_zero<Space>(values_.data(), rows() * stored_slots(cells), block * block);
}

template <class Space>
BlockStencilView BlockStencil<Space>::stencil() const {
  BlockStencilView view;
  view.values = values_.data();
  view.cells = cells_;
  view.periodic = periodic_;
  view.n = n_;
  view.slots = stored_slots(cells_);
  view.first = view.slots == 5 ? 1 : 0;
  return view;
}

template <class Space>
void BlockStencil<Space>::apply(View<const double> x, View<double> y) const {
  if constexpr (std::is_same_v<Space, Host>)
    block_stencil_host::apply(stencil(), x.data(), y.data());
  else
    device_product(form_, stencil(), nullptr, 1, x.data(), y.data());
}

template <class Space>
void BlockStencil<Space>::residual(View<const double> b, View<const double> x, View<double> r) const {
  if constexpr (std::is_same_v<Space, Host>)
    block_stencil_host::residual(stencil(), b.data(), x.data(), r.data());
  else
    device_product(form_, stencil(), b.data(), -1, x.data(), r.data());
}

template <class Space>
double BlockStencil<Space>::residual_dot(View<const double> b, View<const double> x, View<double> r) const {
  if constexpr (std::is_same_v<Space, Host>) {
    return block_stencil_host::residual_dot(stencil(), b.data(), x.data(), r.data());
  } else {
    residual(b, x, r);
    return squared_norm<Space>(r.data(), this->size());
  }
}

template <class Space>
void BlockStencil<Space>::block_diagonal(View<double> d) const {
  const BlockStencilView A = stencil();
  const int n = n_;
  double* out = d.data();
  for_each<Space>(rows(), [=] WEIR_HD(int c) {
    double* block = out + std::int64_t{c} * n * n;
    for (int u = 0; u < n; ++u)
      for (int v = 0; v < n; ++v) block[u * n + v] = A.entry(c, slot::delta, u, v);
  });
}

template <class Space>
Work BlockStencil<Space>::apply_work() const {
  const std::int64_t vectors = 2 * std::int64_t{rows()} * n_;  // x read, y written
  return {8 * (values_.size() + vectors), 2 * values_.size()};
}

template class BlockStencil<Host>;
template class BlockStencil<Device>;

}  // namespace weir
