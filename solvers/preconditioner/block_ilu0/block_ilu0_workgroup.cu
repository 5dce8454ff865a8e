// block_ilu0, form "workgroup": a launch a hyperplane; each workgroup takes a few cells of it (Luo et al. 2015, Algs. 8 to 10).
// Every sum has a fixed order: runs repeat bit for bit.
#include "solvers/preconditioner/block_ilu0/block_ilu0_cell.hpp"

namespace weir::block_ilu0 {
namespace {

template <class T>
__global__ void factorise_plane(DeviceFactors<T> f, int first_group, int most) {
  WEIR_DYNAMIC_SHARED(double, s);
  const FactorThread me(f, Mapping(f.A.n), first_group + static_cast<int>(blockIdx.x), most);
  factorise_cell(f, me.cell, me.u, me.v, s + me.shared_from);
}

template <bool Forward, class T>
__global__ void sweep_plane(DeviceFactors<T> f, int first_group, const double* r, double* x) {
  WEIR_DYNAMIC_SHARED(double, s);
  const Mapping m(f.A.n);
  const SolveThread me(f, m, first_group + static_cast<int>(blockIdx.x));
  solve_cell<Forward>(f, me.cell, me.u, me.h, m.groups_of_columns, s + me.shared_from, r, x);
}

template <bool Forward, class T>
void launch_sweep(const DeviceFactors<T>& f, const Hyperplanes& levels, int p, const double* r, double* x) {
  const Mapping m(f.A.n);
  const int first = levels.first_group(p), groups = levels.first_group(p + 1) - first;
  launch({.grid = static_cast<unsigned>(groups),
          .block = static_cast<unsigned>(m.solve_threads()),
          .shared_bytes = m.solve_shared(),
          .name = "block_ilu0 sweep of a hyperplane"},
         sweep_plane<Forward, T>, f, first, r, x);
}

}  // namespace

template <class T>
void WorkgroupForm<T>::factorise(const DeviceFactors<T>& f, const Hyperplanes& levels) {
  const Mapping m(f.A.n);
  const int most = most_before(f.A.periodic);
  for (int p = 0; p < levels.count(); ++p) {
    const int first = levels.first_group(p), groups = levels.first_group(p + 1) - first;
    launch({.grid = static_cast<unsigned>(groups),
            .block = static_cast<unsigned>(m.factor_threads()),
            .shared_bytes = m.factor_shared(most),
            .name = "block_ilu0 factorisation of a hyperplane"},
           factorise_plane<T>, f, first, most);
  }
}

template <class T>
void WorkgroupForm<T>::solve(const DeviceFactors<T>& f, const Hyperplanes& levels, const double* r, double* z) {
  for (int p = 0; p < levels.count(); ++p) launch_sweep<true>(f, levels, p, r, z);
  for (int p = levels.count() - 1; p >= 0; --p) launch_sweep<false>(f, levels, p, nullptr, z);
}

template struct WorkgroupForm<double>;
template struct WorkgroupForm<float>;

}  // namespace weir::block_ilu0
