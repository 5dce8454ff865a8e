// block_ilu0 on the device: storage, choice of the form, form "entry".
#include "solvers/preconditioner/block_ilu0/block_ilu0_factors.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "solvers/device/for_each.hpp"

namespace weir {

using block_ilu0::DeviceFactors;
using block_ilu0::EntryForm;
using block_ilu0::OneLaunchForm;
using block_ilu0::WorkgroupForm;

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

}  // namespace
}  // namespace block_ilu0

namespace {

constexpr int largest_workgroup_block = 32;  // n x n threads per cell, at most 1024 per workgroup

BlockIluOptions resolved(BlockIluOptions options, int n) {
  if (options.form == BlockIluForm::automatic)
    options.form = n <= largest_workgroup_block ? BlockIluForm::one_launch : BlockIluForm::entry;
  if (options.form != BlockIluForm::entry && n > largest_workgroup_block)
    throw Error(Exit::usage, std::string("block_ilu0: form = \"") + to_string(options.form) +
                                 "\" takes blocks of at most " + std::to_string(largest_workgroup_block) +
                                 " unknowns, this matrix has " + std::to_string(n) + "; form = \"entry\" takes any");
  return options;
}

// Only the form in use allocates.
std::int64_t only(bool used, std::int64_t size) { return used ? size : 0; }

}  // namespace

template <class T>
BlockIluFactors<Device, T>::BlockIluFactors(const BlockStencil<Device>& A, const BlockIluOptions& options)
    : options_(resolved(options, A.block())),
      levels_(A.cells(), options_.form == BlockIluForm::entry ? 1 : block_ilu0::cells_a_workgroup(A.block())),
      order_(options_.form == BlockIluForm::entry ? levels_.cells : std::vector<int>()),
      links_(options_.form == BlockIluForm::entry ? std::vector<block_ilu0::CellLinks>()
                                                  : block_ilu0::links_of(A.stencil(), levels_.cells)),
      d_(std::int64_t{A.rows()} * A.block() * A.block()),
      work_(only(options_.form == BlockIluForm::entry, EntryForm<T>::work_size(A.stencil(), levels_))),
      bad_(A.rows()),
      finished_(std::vector<int>(only(options_.form == BlockIluForm::one_launch, A.rows()), 0)),
      drawn_(std::vector<unsigned>(1, 0)),
      turns_(drawn_.data()),
      awaited_(only(options_.form == BlockIluForm::one_launch, block_ilu0::awaited_size(A.block(), A.rows()))) {}

template <class T>
std::int64_t BlockIluFactors<Device, T>::bytes() const {
  const std::int64_t ints = order_.size() + 8 * links_.size() + bad_.size() + finished_.size();
  return d_.size() * static_cast<std::int64_t>(sizeof(T)) + work_.size() * 8 + ints * 4 + awaited_.bytes();
}

template <class T>
DeviceFactors<T> BlockIluFactors<Device, T>::factors(const BlockStencilView& A) {
  return {A, d_.data(), order_.data(), links_.data(), work_.data(), bad_.data(), finished_.data(), options_.pivoting};
}

template <class T>
FailedCell BlockIluFactors<Device, T>::factorise(const BlockStencilView& A) {
  switch (options_.form) {
    case BlockIluForm::entry:
      EntryForm<T>::factorise(factors(A), levels_);
      break;
    case BlockIluForm::workgroup:
      WorkgroupForm<T>::factorise(factors(A), levels_);
      break;
    default:
      OneLaunchForm<T>::factorise(factors(A), levels_, turns_);
  }
  return block_ilu0::first_bad(bad_.data(), A.cells.count());
}

template <class T>
void BlockIluFactors<Device, T>::solve(const BlockStencilView& A, const double* r, double* z) {
  switch (options_.form) {
    case BlockIluForm::entry:
      EntryForm<T>::solve(factors(A), levels_, r, z);
      break;
    case BlockIluForm::workgroup:
      WorkgroupForm<T>::solve(factors(A), levels_, r, z);
      break;
    default:
      OneLaunchForm<T>::solve(factors(A), levels_, turns_, awaited_, r, z);
  }
}

template class BlockIluFactors<Device, double>;
template class BlockIluFactors<Device, float>;

}  // namespace weir

namespace weir::block_ilu0 {
namespace {

// Form "entry": the directive-style algorithms of Luo et al. 2015, one launch per dependency: per hyperplane 3 + 3 n
// for the factorisation (Alg. 4, kernels #1 to #5, and a store), 2 per sweep (Alg. 6). Temporaries lie in global
// memory: s for the products, and the diagonal blocks of the hyperplane in double during inversion. Every sum has a
// fixed order: runs repeat bit for bit.

// One hyperplane: count cells, their temporaries. Entries of a block: e = v n + u.
struct Plane {
  const int* cells;
  int count;
  double* s;  // most_before blocks per cell, or n values per cell in a sweep
  double* d;  // one block per cell
  int most;
};

// #1: s_l = A_pq d_q^-1 for the l-th neighbour q before p.
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

// #2: d = delta - sum_l s_l A_qp.
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
    if (e % nn == 0) f.bad[cell] = 0;
  });
}

// With pivoting, before step r: moves the largest entry of column r to row r and records its row in s.
void exchange_rows(const Plane& p, int n, int r) {
  for_each<Device>(p.count, [=] WEIR_HD(int q) {
    double* d = p.d + std::int64_t{q} * n * n;
    const auto magnitude = [d, n, r](int u) { return d[r * n + u] < 0 ? -d[r * n + u] : d[r * n + u]; };
    int largest = r;
    for (int u = r + 1; u < n; ++u)
      if (magnitude(u) > magnitude(largest)) largest = u;
    p.s[std::int64_t{q} * p.most * n * n + r] = largest;
    for (int v = 0; v < n && largest != r; ++v) {
      const double kept = d[v * n + r];
      d[v * n + r] = d[v * n + largest];
      d[v * n + largest] = kept;
    }
  });
}
void exchange_columns_back(const Plane& p, int n) {
  for_each<Device>(p.count, [=] WEIR_HD(int q) {
    double* d = p.d + std::int64_t{q} * n * n;
    for (int r = n - 1; r >= 0; --r) {
      const int other = static_cast<int>(p.s[std::int64_t{q} * p.most * n * n + r]);
      for (int u = 0; u < n && other != r; ++u) {
        const double kept = d[r * n + u];
        d[r * n + u] = d[other * n + u];
        d[other * n + u] = kept;
      }
    }
  });
}

// #3: the other entries of row r and column r: d^rv / d^rr and -d^ur / d^rr.
void scale_row_and_column(const Plane& p, int n, int r) {
  const int threads = 2 * (n - 1);
  for_each<Device>(p.count * threads, [=] WEIR_HD(int e) {
    double* d = p.d + std::int64_t{e / threads} * n * n;
    const int a = e % threads >= n - 1 ? 1 : 0, w0 = e % threads - a * (n - 1), w = w0 + (w0 >= r ? 1 : 0);
    const int u = a ? w : r, v = a ? r : w;
    d[v * n + u] = (1 - 2 * a) * d[v * n + u] / d[r * n + r];
  });
}

// #4: all entries outside row r and column r: d^uv += d^ur d^rv d^rr.
void eliminate(const Plane& p, int n, int r) {
  const int side = n - 1;
  for_each<Device>(p.count * side * side, [=] WEIR_HD(int e) {
    double* d = p.d + std::int64_t{e / (side * side)} * n * n;
    const int u0 = e % side, v0 = e / side % side, u = u0 + (u0 >= r ? 1 : 0), v = v0 + (v0 >= r ? 1 : 0);
    d[v * n + u] += d[r * n + u] * d[v * n + r] * d[r * n + r];
  });
}

// #5: d^rr <- 1 / d^rr.
void invert_pivot(const Plane& p, int n, int r, int* bad) {
  for_each<Device>(p.count, [=] WEIR_HD(int q) {
    double& pivot = p.d[std::int64_t{q} * n * n + r * n + r];
    if (pivot == 0 || !(pivot - pivot == 0)) bad[p.cells[q]] = 1;
    pivot = 1 / pivot;
  });
}

template <class T>
void store(const DeviceFactors<T>& f, const Plane& p) {
  const int nn = f.A.n * f.A.n;
  for_each<Device>(p.count * nn, [=] WEIR_HD(int e) { f.block(p.cells[e / nn])[e % nn] = static_cast<T>(p.d[e]); });
}

// z = base - sum of A_pq x_q over the neighbours before (or after) p; base null: 0.
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

// x = d^-1 z, or x += d^-1 z.
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
Plane plane(const DeviceFactors<T>& f, const Hyperplanes& levels, int p) {
  const int first = levels.start[p], last = levels.start[p + 1];
  const int most = most_before(f.A.periodic), nn = f.A.n * f.A.n;
  return {f.order + first, last - first, f.work, f.work + std::int64_t{levels.widest()} * most * nn, most};
}

}  // namespace

template <class T>
std::int64_t EntryForm<T>::work_size(const BlockStencilView& A, const Hyperplanes& levels) {
  return std::int64_t{levels.widest()} * (most_before(A.periodic) + 1) * A.n * A.n;
}

template <class T>
void EntryForm<T>::factorise(const DeviceFactors<T>& f, const Hyperplanes& levels) {
  const int n = f.A.n;
  for (int level = 0; level < levels.count(); ++level) {
    const Plane p = plane(f, levels, level);
    lower_times_inverse(f, p);
    subtract_products(f, p);
    for (int r = 0; r < n; ++r) {
      if (f.pivoting) exchange_rows(p, n, r);
      scale_row_and_column(p, n, r);
      eliminate(p, n, r);
      invert_pivot(p, n, r, f.bad);
    }
    if (f.pivoting) exchange_columns_back(p, n);
    store(f, p);
  }
}

template <class T>
void EntryForm<T>::solve(const DeviceFactors<T>& f, const Hyperplanes& levels, const double* r, double* z) {
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

template struct EntryForm<double>;
template struct EntryForm<float>;

}  // namespace weir::block_ilu0
