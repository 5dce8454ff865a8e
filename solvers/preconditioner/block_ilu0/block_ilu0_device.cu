// block_ilu0 of a block stencil on the device: storage, and the kernels of blocks larger than 32.
#include <algorithm>

#include "solvers/device/for_each.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0_factors.hpp"
#include "solvers/preconditioner/jacobi/block_invert.hpp"

namespace weir {

using block_ilu0::DeviceFactors;

Hyperplanes::Hyperplanes(Extents e, int cells_a_group) : group(cells_a_group) {
  start.assign(static_cast<std::size_t>(e.nx + e.ny + e.nz - 1), 0);
  const auto level = [e](int c) { return static_cast<std::size_t>(c % e.nx + c / e.nx % e.ny + c / (e.nx * e.ny)); };
  for (int c = 0; c < e.count(); ++c) ++start[level(c) + 1];
  for (std::size_t p = 1; p < start.size(); ++p) start[p] = start[p - 1] + (start[p] + group - 1) / group * group;
  std::vector<int> next = start;
  cells.assign(static_cast<std::size_t>(start.back()), -1);
  for (int c = 0; c < e.count(); ++c) cells[next[level(c)]++] = c;
}

int Hyperplanes::widest() const {
  int most = 0;
  for (std::size_t p = 1; p < start.size(); ++p) most = std::max(most, start[p] - start[p - 1]);
  return most;
}

namespace block_ilu0 {
namespace {

std::vector<CellLinks> links_of(const BlockStencilView& A, const std::vector<int>& cells) {
  std::vector<CellLinks> links(cells.size());
  for (std::size_t q = 0; q < cells.size(); ++q)
    for (int t = 0; t < 8; ++t) links[q].to[t] = cells[q] < 0 || t == slot::count ? -1 : A.neighbour(cells[q], t);
  return links;
}

// Large blocks: a few launches per hyperplane, one thread per entry, and one per cell for the inversion, which always
// exchanges rows. Every sum has a fixed order: runs repeat bit for bit.

// One hyperplane: count cells, their temporaries. Entries of a block: e = v n + u.
struct Plane {
  const int* cells;
  int count;
  double* s;  // most_before blocks per cell, or n values per cell in a sweep
  double* d;  // one block per cell
  int most;
};

template <class T>
Plane plane(const DeviceFactors<T>& f, const Hyperplanes& levels, int p) {
  const int first = levels.start[p], last = levels.start[p + 1];
  const int most = most_before(f.A.periodic), nn = f.A.n * f.A.n;
  return {f.order + first, last - first, f.work, f.work + std::int64_t{levels.widest()} * most * nn, most};
}

// s_l = A_pq d_q^-1 for the l-th neighbour q before p.
template <class T>
void lower_times_inverse(const DeviceFactors<T>& f, const Plane& p) {
  const BlockStencilView A = f.A;
  const int n = A.n, nn = n * n;
  for_each<Device>(p.count * nn, [=] WEIR_HD(int e) {
    const int q = e / nn, u = e % nn % n, v = e % nn / n, cell = p.cells[q];
    int l = 0;
    for (int t = A.first; t < A.first + A.slots; ++t) {
      const int to = neighbour_before(A, cell, t);
      if (to < 0) continue;
      const double* alpha = A.block(cell, t) + u;
      const T* inverse = f.block(to) + v * n;
      double sum = 0;
      for (int w = 0; w < n; ++w) sum += alpha[w * n] * inverse[w];
      p.s[(std::int64_t{q} * p.most + l++) * nn + v * n + u] = sum;
    }
  });
}

// d = delta - sum_l s_l A_qp.
template <class T>
void subtract_products(const DeviceFactors<T>& f, const Plane& p) {
  const BlockStencilView A = f.A;
  const int n = A.n, nn = n * n;
  for_each<Device>(p.count * nn, [=] WEIR_HD(int e) {
    const int q = e / nn, u = e % nn % n, v = e % nn / n, cell = p.cells[q];
    double d = A.entry(cell, slot::delta, u, v);
    int l = 0;
    for (int t = A.first; t < A.first + A.slots; ++t) {
      const int to = neighbour_before(A, cell, t);
      if (to < 0) continue;
      const double* s = p.s + (std::int64_t{q} * p.most + l++) * nn + u;
      const double* back = A.block(to, 6 - t) + v * n;  // the opposite slot
      for (int w = 0; w < n; ++w) d -= s[w * n] * back[w];
    }
    p.d[e] = d;
  });
}

template <class T>
void invert_blocks(const DeviceFactors<T>& f, const Plane& p) {
  const int n = f.A.n, nn = n * n;
  for_each<Device>(p.count, [=] WEIR_HD(int q) {
    double* d = p.d + std::int64_t{q} * nn;
    f.bad[p.cells[q]] = block_jacobi::invert(d, n) ? 0 : 1;
    for (int e = 0; e < nn; ++e) f.block(p.cells[q])[e] = static_cast<T>(d[e]);
  });
}

// s = base - sum of A_pq x_q over the neighbours before (or after) p; base null: 0.
template <class T>
void subtract_neighbours(const DeviceFactors<T>& f, const Plane& p, bool before, const double* base, const double* x) {
  const BlockStencilView A = f.A;
  const int n = A.n;
  for_each<Device>(p.count * n, [=] WEIR_HD(int e) {
    const int cell = p.cells[e / n], u = e % n;
    double z = base ? base[std::int64_t{cell} * n + u] : 0;
    for (int t = A.first; t < A.first + A.slots; ++t) {
      const int to = before ? neighbour_before(A, cell, t) : neighbour_after(A, cell, t);
      if (to < 0) continue;
      const double *block = A.block(cell, t) + u, *xt = x + std::int64_t{to} * n;
      for (int v = 0; v < n; ++v) z -= block[v * n] * xt[v];
    }
    p.s[e] = z;
  });
}

// x = d^-1 s, or x += d^-1 s.
template <class T>
void times_inverse(const DeviceFactors<T>& f, const Plane& p, bool add, double* x) {
  const int n = f.A.n;
  for_each<Device>(p.count * n, [=] WEIR_HD(int e) {
    const int cell = p.cells[e / n], u = e % n;
    const T* d = f.block(cell) + u;
    const double* z = p.s + std::int64_t{e / n} * n;
    double sum = 0;
    for (int v = 0; v < n; ++v) sum += d[v * n] * z[v];
    double& xu = x[std::int64_t{cell} * n + u];
    xu = add ? xu + sum : sum;
  });
}

template <class T>
void factorise_large(const DeviceFactors<T>& f, const Hyperplanes& levels) {
  for (int level = 0; level < levels.count(); ++level) {
    const Plane p = plane(f, levels, level);
    lower_times_inverse(f, p);
    subtract_products(f, p);
    invert_blocks(f, p);
  }
}

template <class T>
void solve_large(const DeviceFactors<T>& f, const Hyperplanes& levels, const double* r, double* z) {
  for (int level = 0; level < levels.count(); ++level) {
    const Plane p = plane(f, levels, level);
    subtract_neighbours(f, p, true, r, z);
    times_inverse(f, p, false, z);
  }
  for (int level = levels.count() - 1; level >= 0; --level) {
    const Plane p = plane(f, levels, level);
    subtract_neighbours<T>(f, p, false, nullptr, z);
    times_inverse(f, p, true, z);
  }
}

std::int64_t work_size(const BlockStencilView& A, const Hyperplanes& levels) {
  return std::int64_t{levels.widest()} * (most_before(A.periodic) + 1) * A.n * A.n;
}

// Only what is used is allocated.
std::int64_t only(bool used, std::int64_t size) { return used ? size : 0; }

}  // namespace
}  // namespace block_ilu0

template <class T>
BlockIluFactors<Device, T>::BlockIluFactors(const BlockStencil<Device>& A, const BlockIluOptions& options)
    : pivoting_(options.pivoting),
      is_large_(A.block() > block_ilu0::largest_in_one_launch),
      levels_(A.cells(), is_large_ ? 1 : block_ilu0::cells_a_workgroup(A.block())),
      order_(is_large_ ? levels_.cells : std::vector<int>()),
      links_(is_large_ ? std::vector<block_ilu0::CellLinks>() : block_ilu0::links_of(A.stencil(), levels_.cells)),
      d_(std::int64_t{A.rows()} * A.block() * A.block()),
      work_(block_ilu0::only(is_large_, block_ilu0::work_size(A.stencil(), levels_))),
      bad_(A.rows()),
      finished_(std::vector<int>(block_ilu0::only(!is_large_, A.rows()), 0)),
      drawn_(std::vector<unsigned>(1, 0)),
      turns_(drawn_.data()),
      awaited_(block_ilu0::only(!is_large_, block_ilu0::awaited_size(A.block(), A.rows()))) {}

template <class T>
std::int64_t BlockIluFactors<Device, T>::bytes() const {
  const std::int64_t ints = order_.size() + 8 * links_.size() + bad_.size() + finished_.size();
  return d_.size() * static_cast<std::int64_t>(sizeof(T)) + work_.size() * 8 + ints * 4 + awaited_.bytes();
}

template <class T>
DeviceFactors<T> BlockIluFactors<Device, T>::factors(const BlockStencilView& A) {
  return {A, d_.data(), order_.data(), links_.data(), work_.data(), bad_.data(), finished_.data(), pivoting_};
}

template <class T>
FailedCell BlockIluFactors<Device, T>::factorise(const BlockStencilView& A) {
  is_large_ ? block_ilu0::factorise_large(factors(A), levels_)
            : block_ilu0::factorise_in_one_launch(factors(A), levels_, turns_);
  return block_ilu0::first_bad(bad_.data(), A.cells.count());
}

template <class T>
void BlockIluFactors<Device, T>::solve(const BlockStencilView& A, const double* r, double* z) {
  is_large_ ? block_ilu0::solve_large(factors(A), levels_, r, z)
            : block_ilu0::solve_in_one_launch(factors(A), levels_, turns_, awaited_, r, z);
}

template class BlockIluFactors<Device, double>;
template class BlockIluFactors<Device, float>;

}  // namespace weir
