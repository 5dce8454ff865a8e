// BlockStencil: code shared by both spaces.
#include "solvers/matrix/block/block_stencil.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/matrix/block/block_lanes.hpp"
#include "solvers/matrix/block/block_limit.hpp"

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

// See the comment of BlockStencil. Consecutive slots are placed at different offsets within a page and an L2 cache.
std::int64_t padding_of(Extents e, int n) {
  constexpr std::int64_t worth_it = 1 << 17, page = 512, near = page / 8, apart = 128 * page / 8 + 72;  // in values
  const std::int64_t slot = std::int64_t{1} * e.nx * e.ny * e.nz, beyond = slot % page;
  return n == 1 && slot >= worth_it && (beyond < near || beyond > page - near) ? apart : 0;
}

// Copies `values` to or from offset `at`: one slot of a padded array, without a second copy of the whole.
void put(Array<double, Host>& to, std::int64_t at, std::span<const double> values) {
  std::ranges::copy(values, to.data() + at);
}
void put(Array<double, Device>& to, std::int64_t at, std::span<const double> values) {
  backend::copy_to_device(to.data() + at, values.data(), static_cast<std::int64_t>(values.size_bytes()));
}
void get(const Array<double, Host>& from, std::int64_t at, std::span<double> values) {
  std::copy_n(from.data() + at, values.size(), values.begin());
}
void get(const Array<double, Device>& from, std::int64_t at, std::span<double> values) {
  backend::copy_to_host(values.data(), from.data() + at, static_cast<std::int64_t>(values.size_bytes()));
}

// Host memory is zero-initialised.
void set_zero(Array<double, Host>&) {}
void set_zero(Array<double, Device>& a) {
  backend::set_zero(a.data(), a.size() * static_cast<std::int64_t>(sizeof(double)));
}

// out = base + factor A x on the device (Luo et al. 2015, Alg. 7); base: null for 0. One thread per vector entry;
// neighbouring threads read neighbouring entries of a column. Bytes: 7 n^2 values per cell; x, base and out stay in
// cache.
void device_product(const BlockStencilView& A, const double* base, double factor, const double* x, double* out) {
  const int n = A.n, first = A.first, end = A.first + A.slots;
  for_each<Device>(A.cells.count() * n, [=] WEIR_HD(int e) {
    const int cell = e / n, u = e % n;
    double s = 0;
    for (int t = first; t < end; ++t) {
      const int to = A.neighbour(cell, t);
      if (to < 0) continue;
      const double *block = A.block(cell, t) + u, *xt = x + std::int64_t{to} * n;
      for (int v = 0; v < n; ++v) s += block[v * n] * xt[v];
    }
    out[e] = (base ? base[e] : 0.0) + factor * s;
  });
}

}  // namespace

template <class Space>
BlockStencil<Space>::BlockStencil(Extents cells, int block, Periodic periodic)
    : cells_(cells),
      periodic_(periodic),
      n_(block),
      padding_(padding_of(cells, block)),
      values_(checked_entries(cells, block) + padding_of(cells, block) * (stored_slots(cells) - 1)) {
  set_zero(values_);
}

template <class Space>
std::int64_t BlockStencil<Space>::entries() const {
  return checked_entries(cells_, n_);
}

template <class Space>
void BlockStencil<Space>::upload(std::span<const double> values) {
  if (padding_ == 0) return values_.upload(values);
  for (std::int64_t s = 0; s < stored_slots(cells_); ++s)
    put(values_, s * (rows() + padding_),
        values.subspan(static_cast<std::size_t>(s * rows()), static_cast<std::size_t>(rows())));
}

template <class Space>
void BlockStencil<Space>::download(std::span<double> values) const {
  if (padding_ == 0) return values_.download(values);
  for (std::int64_t s = 0; s < stored_slots(cells_); ++s)
    get(values_, s * (rows() + padding_),
        values.subspan(static_cast<std::size_t>(s * rows()), static_cast<std::size_t>(rows())));
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
  view.padding = padding_;
  return view;
}

template <class Space>
Pair BlockStencil<Space>::product(Product p, const double* b, const double* x, double* y) const {
  if constexpr (std::is_same_v<Space, Host>) return host_product(stencil(), p, b, x, y);
  device_product(stencil(), b, is_residual(p) ? -1 : 1, x, y);
  return {};
}

template <class Space>
void BlockStencil<Space>::block_diagonal(int first, View<double> d) const {
  const BlockStencilView A = stencil();
  const int n = n_;
  double* out = d.data();
  for_each<Space>(static_cast<int>(d.size() / (n * n)), [=] WEIR_HD(int c) {
    double* block = out + std::int64_t{c} * n * n;
    for (int u = 0; u < n; ++u)
      for (int v = 0; v < n; ++v) block[u * n + v] = A.entry(first + c, slot::delta, u, v);
  });
}

template <class Space>
Work BlockStencil<Space>::apply_work() const {
  const std::int64_t vectors = 2 * std::int64_t{rows()} * n_;  // x read, y written
  return {8 * (entries() + vectors), 2 * entries()};
}

template class BlockStencil<Host>;
template class BlockStencil<Device>;

}  // namespace weir
