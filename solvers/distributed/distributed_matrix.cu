// Border rows: one index per row, 8 bytes per coupling value, 12 bytes per ghost.
#include "solvers/distributed/distributed_matrix.hpp"

#include "solvers/device/on_host.hpp"
#include "solvers/device/reduce.hpp"

namespace weir {
namespace distributed_kernels {

// Entry e of border row r of C x_ghost.
WEIR_HD inline double from_ghosts(const CouplingView& C, const double* x_ghost, int r, int e) {
  double s = 0;
  for (int k = C.start[r]; k < C.start[r + 1]; ++k) {
    const double* value = C.value.data() + (static_cast<std::int64_t>(k) * C.block + e) * C.block;
    const double* x = x_ghost + static_cast<std::int64_t>(C.ghost[k]) * C.block;
    for (int c = 0; c < C.block; ++c) s += value[c] * x[c];
  }
  return s;
}

template <class Space>
void add(const CouplingView& coupling, const double* x, View<double> y) {
  const CouplingView C = coupling;
  for_each<Space>(C.row.size(), [=] WEIR_HD(int r) {
    for (int e = 0; e < C.block; ++e) y[C.row[r] * C.block + e] += C.factor * from_ghosts(C, x, r, e);
  });
}
template <class Space>
double add_dot(const CouplingView& coupling, const double* x, View<const double> w, View<double> y) {
  const CouplingView C = coupling;
  return sum<Space>(C.row.size(), [=] WEIR_HD(int r) {
    double s = 0;
    for (int e = 0; e < C.block; ++e) {
      const double more = C.factor * from_ghosts(C, x, r, e);
      y[C.row[r] * C.block + e] += more;
      s += w[C.row[r] * C.block + e] * more;
    }
    return s;
  });
}

}  // namespace distributed_kernels

template <class Space>
void add_coupling(const CouplingView& C, View<const double> x_ghost, View<double> y) {
  distributed_kernels::add<Space>(C, x_ghost.data(), y);
}
template void add_coupling<Host>(const CouplingView&, View<const double>, View<double>);
template void add_coupling<Device>(const CouplingView&, View<const double>, View<double>);

template <class Space>
DistributedMatrix<Space>::DistributedMatrix(const Communicator& ranks, const Matrix<Space>& local,
                                            const HaloPattern& pattern, const Coupling& coupling, bool symmetric,
                                            bool null_space, const HaloOptions& options)
    : row_(coupling.row),
      start_(coupling.start),
      ghost_(coupling.ghost),
      value_(coupling.value),
      halo_(ranks, pattern, local.block(), options),
      ranks_(ranks),
      local_(local),
      options_(halo_.found(options)),
      block_(local.block()),
      symmetric_(symmetric),
      null_space_(null_space),
      unknowns_(static_cast<std::int64_t>(ranks.sum(static_cast<double>(local.size())))) {}

template <class Space>
void DistributedMatrix<Space>::add_ghosts(double factor, View<double> y) const {
  add_coupling<Space>(beyond(factor), ghosts(), y);
}
template <class Space>
double DistributedMatrix<Space>::add_ghosts(double factor, View<const double> w, View<double> y) const {
  return distributed_kernels::add_dot<Space>(beyond(factor), ghosts().data(), w, y);
}

template <class Space>
Coupling DistributedMatrix<Space>::coupling() const {
  Coupling c{block_, row_.to_vector(), start_.to_vector(), ghost_.to_vector(), value_.to_vector()};
  for (double& v : c.value) v *= factor_;
  return c;
}
template <class Space>
std::vector<double> DistributedMatrix<Space>::at_ghosts(View<const double> x) const {
  fetch(x);
  return on_host<Space>(ghosts());
}

template <class Space>
void DistributedMatrix<Space>::apply(View<const double> x, View<double> y) const {
  if (exact_product(Product::apply, nullptr, x, y)) return;
  fetch(x);
  local_.apply(x, y);
  add_ghosts(1, y);
}
template <class Space>
double DistributedMatrix<Space>::apply_dot(View<const double> x, View<double> y) const {
  fetch(x);
  const double own = local_.apply_dot(x, y);
  return own + add_ghosts(1, x, y);
}
// r.r is not assembled from shares (the border rows are large without their ghosts): residual_dot makes another pass.
template <class Space>
void DistributedMatrix<Space>::residual(View<const double> b, View<const double> x, View<double> r) const {
  if (exact_product(Product::residual, b.data(), x, r)) return;
  fetch(x);
  local_.residual(b, x, r);
  add_ghosts(-1, r);
}

template <class Space>
std::string DistributedMatrix<Space>::row_name(int row) const {
  if (name_of_row_) return name_of_row_(row);
  return "block row " + std::to_string(row) + " of rank " + std::to_string(ranks_.rank());
}

template <class Space>
Work DistributedMatrix<Space>::apply_work() const {
  Work w = local_.apply_work();
  w.bytes += 8 * value_.size() + 16 * row_.size() * block_;
  w.flops += 2 * value_.size();
  return w;
}

template class DistributedMatrix<Host>;
template class DistributedMatrix<Device>;

}  // namespace weir
