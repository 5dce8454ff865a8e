// Free sweeps on the device: one thread per row, one launch per sweep. Within a launch rows read concurrent results:
// relaxed loads and stores, each value whole, old or new, in no order. Prescribed sweeps, guess and diagnostics: both
// spaces.
#include "solvers/device/for_each.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/preconditioner/async_ilu/async_ilu.hpp"

namespace weir::async_ilu {
namespace {

constexpr int threads_a_workgroup = 128;

struct Relaxed {
  double *L, *U, *inverse, *vector;
  int n;

  WEIR_HD void load(const double* from, int count, double* to) const {
    for (int e = 0; e < count; ++e) to[e] = load_relaxed(from + e);
  }
  WEIR_HD void store(double* to, int count, const double* from) const {
    for (int e = 0; e < count; ++e) store_relaxed(to + e, from[e]);
  }
  WEIR_HD void load_L(std::int64_t e, double* block) const { load(L + e * n * n, n * n, block); }
  WEIR_HD void load_U(std::int64_t e, int, double* block) const { load(U + e * n * n, n * n, block); }
  WEIR_HD void load_inverse(std::int64_t j, double* block) const { load(inverse + j * n * n, n * n, block); }
  WEIR_HD void store_L(std::int64_t e, const double* block) const { store(L + e * n * n, n * n, block); }
  WEIR_HD void store_U(std::int64_t e, const double* block) const { store(U + e * n * n, n * n, block); }
  WEIR_HD void store_inverse(std::int64_t i, const double* block) const { store(inverse + i * n * n, n * n, block); }
  WEIR_HD void load_vector(std::int64_t j, double* x) const { load(vector + j * n, n, x); }
  WEIR_HD void store_vector(std::int64_t i, const double* x) const { store(vector + i * n, n, x); }
};

__device__ int thread_index() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

template <int Cap>
__global__ void build_rows(AsyncView f) {
  const int i = thread_index();
  if (i < f.rows) sweep_row<Cap>(f, Relaxed{f.L, f.U, f.inverse, nullptr, f.n}, i);
}
template <int Cap>
__global__ void forward_rows(AsyncView f, const double* r, double* y) {
  const int i = thread_index();
  if (i < f.rows) forward_row<Cap>(f, Relaxed{nullptr, nullptr, nullptr, y, f.n}, i, r);
}
template <int Cap>
__global__ void backward_rows(AsyncView f, const double* y, double* z) {
  const int i = f.rows - 1 - thread_index();
  if (i >= 0) backward_row<Cap>(f, Relaxed{nullptr, nullptr, nullptr, z, f.n}, i, y);
}

LaunchConfig config(int rows, const char* name) {
  return {.grid = static_cast<unsigned>((rows + threads_a_workgroup - 1) / threads_a_workgroup),
          .block = threads_a_workgroup,
          .name = name};
}

template <class Space>
void clear(double* x, int size) {
  fill<Space>(0, View<double>(x, size));
}
// z = scale x
template <class Space>
void copy_scaled(const double* x, const double* scale, double* z, int size) {
  for_each<Space>(size, [=] WEIR_HD(int i) { z[i] = scale ? x[i] * scale[i] : x[i]; });
}

template <int Cap>
void sweep(const AsyncView& f, int sweeps) {
  for (int s = 0; s < sweeps; ++s) launch(config(f.rows, "asynchronous ILU sweep"), build_rows<Cap>, f);
}

template <int Cap>
void solve(const AsyncView& f, int sweeps, const double* r, double* y, double* z) {
  clear<Device>(y, f.rows * f.n);
  for (int s = 0; s < sweeps; ++s) launch(config(f.rows, "asynchronous forward sweep"), forward_rows<Cap>, f, r, y);
  clear<Device>(z, f.rows * f.n);
  for (int s = 0; s < sweeps; ++s)
    launch(config(f.rows, "asynchronous backward sweep"), backward_rows<Cap>, f, static_cast<const double*>(y), z);
  if (f.scale) copy_scaled<Device>(z, f.scale, z, f.rows * f.n);
}

// Prescribed sweeps: one loop over the lanes per step of the schedule. Each row has two slots.
struct Prescribed {
  AsyncSchedule schedule;
  int sweep, step, row;  // row: position of the reader
  double *L, *U, *inverse, *vector;
  std::int64_t slot_L, slot_U, slot_inverse, slot_vector;  // sizes of a slot
  int n;
  bool backward;

  WEIR_HD int mine() const { return sweep & 1; }
  WEIR_HD int seen_of(std::int64_t k) const { return schedule.slot(sweep, step, row, static_cast<int>(k)); }
  WEIR_HD void copy(const double* from, int count, double* to) const {
    for (int e = 0; e < count; ++e) to[e] = from[e];
  }
  WEIR_HD void load_L(std::int64_t e, double* block) const {  // just stored by this row
    copy(L + mine() * slot_L + e * n * n, n * n, block);
  }
  WEIR_HD void load_U(std::int64_t e, int k, double* block) const {
    copy(U + seen_of(k) * slot_U + e * n * n, n * n, block);
  }
  WEIR_HD void load_inverse(std::int64_t k, double* block) const {
    copy(inverse + seen_of(k) * slot_inverse + k * n * n, n * n, block);
  }
  WEIR_HD void store_L(std::int64_t e, const double* block) const {
    copy(block, n * n, L + mine() * slot_L + e * n * n);
  }
  WEIR_HD void store_U(std::int64_t e, const double* block) const {
    copy(block, n * n, U + mine() * slot_U + e * n * n);
  }
  WEIR_HD void store_inverse(std::int64_t i, const double* block) const {
    copy(block, n * n, inverse + mine() * slot_inverse + i * n * n);
  }
  WEIR_HD void load_vector(std::int64_t k, double* x) const {
    copy(vector + seen_of(backward ? schedule.rows - 1 - k : k) * slot_vector + k * n, n, x);
  }
  WEIR_HD void store_vector(std::int64_t i, const double* x) const {
    copy(x, n, vector + mine() * slot_vector + i * n);
  }
};

template <class Space>
void build_step(const AsyncView& f, const Prescribed& at) {
  for_each<Space>(at.schedule.lanes, [=] WEIR_HD(int lane) {
    Prescribed mine = at;
    mine.row = at.schedule.row(at.step, lane);
    if (mine.row >= f.rows) return;
    if (f.n == 1)
      sweep_row<1>(f, mine, mine.row);
    else
      sweep_row<largest_block>(f, mine, mine.row);
  });
}

// right: r forward, y backward.
template <class Space>
void solve_step(const AsyncView& f, const Prescribed& at, const double* right) {
  for_each<Space>(at.schedule.lanes, [=] WEIR_HD(int lane) {
    Prescribed mine = at;
    mine.row = at.schedule.row(at.step, lane);
    if (mine.row >= f.rows) return;
    if (at.backward)
      backward_row<largest_block>(f, mine, f.rows - 1 - mine.row, right);
    else
      forward_row<largest_block>(f, mine, mine.row, right);
  });
}

// Initial guess, symmetric scaling and diagnostics of the factors, for both spaces.

// |x - g(x)|_1 over the entries of row i. U_ii is stored inverted and is inverted back.
template <int Cap>
WEIR_HD double residual_of_row(const AsyncView& f, int i) {
  double sum = 0, block[Cap * Cap], other[Cap * Cap], product[Cap * Cap];
  const int nn = f.n * f.n;
  const Relaxed at{f.L, f.U, f.inverse, nullptr, f.n};
  const auto compare = [&](const double* stored, const double* fresh) {
    for (int e = 0; e < nn; ++e) sum += fabs(stored[e] - fresh[e]);
  };
  for (std::int64_t e = f.lower.start[i]; e < f.lower.start[i + 1]; ++e) {
    form_target<Cap>(f, at, f.lower, e, i, f.lower.column[e], block);
    at.load_inverse(f.lower.column[e], other);
    multiply(f.n, product, block, other);
    compare(f.L + e * nn, product);
  }
  form_target<Cap>(f, at, f.diagonal, i, i, i, block);
  at.load_inverse(i, other);
  invert_or_replace(f.n, other);
  compare(other, block);
  for (std::int64_t e = f.upper.start[i]; e < f.upper.start[i + 1]; ++e) {
    form_target<Cap>(f, at, f.upper, e, i, f.upper.column[e], block);
    compare(f.U + e * nn, block);
  }
  return sum;
}

WEIR_HD inline void guess_row(const AsyncView& f, int i) {
  const int nn = f.n * f.n;
  for (std::int64_t e = f.lower.start[i]; e < f.lower.start[i + 1]; ++e)
    load_entry(f, f.lower.source[e], i, f.lower.column[e], f.L + e * nn);
  double* d = f.inverse + std::int64_t{i} * nn;
  load_entry(f, f.diagonal.source[i], i, i, d);
  invert_or_replace(f.n, d);
  for (std::int64_t e = f.upper.start[i]; e < f.upper.start[i + 1]; ++e)
    load_entry(f, f.upper.source[e], i, f.upper.column[e], f.U + e * nn);
}

// Sum over row i of |T_ij|, or of |U_ii^-1 T_ij|, for unknown u.
WEIR_HD inline double row_sum(const AsyncView& f, const Entries& entries, const double* T, const double* inverse, int i,
                              int u) {
  const int n = f.n, nn = n * n;
  double sum = 0;
  for (std::int64_t e = entries.start[i]; e < entries.start[i + 1]; ++e)
    for (int v = 0; v < n; ++v) {
      double t = 0;
      if (inverse)
        for (int w = 0; w < n; ++w) t = fma(inverse[std::int64_t{i} * nn + w * n + u], T[e * nn + v * n + w], t);
      else
        t = T[e * nn + v * n + u];
      sum += fabs(t);
    }
  return sum;
}

}  // namespace

void sweep_device(const AsyncView& f, int sweeps) { f.n == 1 ? sweep<1>(f, sweeps) : sweep<largest_block>(f, sweeps); }

void solve_device(const AsyncView& f, int sweeps, const double* r, double* y, double* z) {
  f.n == 1 ? solve<1>(f, sweeps, r, y, z) : solve<largest_block>(f, sweeps, r, y, z);
}

template <class Space>
void sweep_prescribed(const AsyncView& f, const AsyncSchedule& schedule, std::int64_t lowers, std::int64_t uppers,
                      int sweeps) {
  const std::int64_t nn = std::int64_t{f.n} * f.n;
  Prescribed at{schedule, 0, 0, 0, f.L, f.U, f.inverse, nullptr, lowers * nn, uppers * nn, f.rows * nn, 0, f.n, false};
  for (at.sweep = 0; sweeps > at.sweep; ++at.sweep)  // nvcc reads "at.sweep <" as the template sweep
    for (at.step = 0; at.step < schedule.steps(); ++at.step) build_step<Space>(f, at);
}

template <class Space>
void solve_prescribed(const AsyncView& f, const AsyncSchedule& schedule, int sweeps, const double* r, double* y,
                      double* work, double* z) {
  const int size = f.rows * f.n, last = (sweeps - 1) & 1;
  Prescribed at{schedule, 0, 0, 0, nullptr, nullptr, nullptr, y, 0, 0, 0, size, f.n, false};
  clear<Space>(y + size, size);
  for (at.sweep = 0; sweeps > at.sweep; ++at.sweep)
    for (at.step = 0; at.step < schedule.steps(); ++at.step) solve_step<Space>(f, at, r);
  at.vector = work;
  at.backward = true;
  clear<Space>(work + size, size);
  for (at.sweep = 0; sweeps > at.sweep; ++at.sweep)
    for (at.step = 0; at.step < schedule.steps(); ++at.step) solve_step<Space>(f, at, y + std::int64_t{last} * size);
  copy_scaled<Space>(work + std::int64_t{last} * size, f.scale, z, size);
}

template void sweep_prescribed<Host>(const AsyncView&, const AsyncSchedule&, std::int64_t, std::int64_t, int);
template void sweep_prescribed<Device>(const AsyncView&, const AsyncSchedule&, std::int64_t, std::int64_t, int);
template void solve_prescribed<Host>(const AsyncView&, const AsyncSchedule&, int, const double*, double*, double*,
                                     double*);
template void solve_prescribed<Device>(const AsyncView&, const AsyncSchedule&, int, const double*, double*, double*,
                                       double*);

template <class Space>
void guess(const AsyncView& f) {
  for_each<Space>(f.rows, [=] WEIR_HD(int i) { guess_row(f, i); });
}

template <class Space>
void copy_factors(const AsyncView& from, const AsyncView& to, std::int64_t lowers, std::int64_t uppers) {
  const auto copy = [nn = std::int64_t{from.n} * from.n](const double* a, double* b, std::int64_t blocks) {
    assign<Space>(View<const double>(a, blocks * nn), View<double>(b, blocks * nn));
  };
  copy(from.L, to.L, lowers);
  copy(from.U, to.U, uppers);
  copy(from.inverse, to.inverse, from.rows);
}

// s_i = |a_ii|^-1/2; 1 if a_ii = 0.
template <class Space>
void find_scale(const AsyncView& f, double* scale) {
  for_each<Space>(f.rows * f.n, [=] WEIR_HD(int q) {
    const int i = q / f.n, u = q % f.n;
    const double a = fabs(f.A[f.diagonal.source[i] + u * f.n + u]);
    scale[q] = a > 0 ? 1 / sqrt(a) : 1;
  });
}

template <class Space>
void measure_rows(const AsyncView& f, double* fixed_point, double* dominance_L, double* dominance_U) {
  for_each<Space>(f.rows, [=] WEIR_HD(int i) {
    fixed_point[i] = f.n == 1 ? residual_of_row<1>(f, i) : residual_of_row<largest_block>(f, i);
    double L = 0, U = 0;
    for (int u = 0; u < f.n; ++u) {
      L = fmax(L, row_sum(f, f.lower, f.L, nullptr, i, u));
      U = fmax(U, row_sum(f, f.upper, f.U, f.inverse, i, u));
    }
    dominance_L[i] = L;
    dominance_U[i] = U;
  });
}

template <class Space>
int count_replaced(const AsyncView& f) {
  return static_cast<int>(sum<Space>(f.rows, [=] WEIR_HD(int i) { return static_cast<double>(f.replaced[i]); }));
}

template void guess<Host>(const AsyncView&);
template void guess<Device>(const AsyncView&);
template void copy_factors<Host>(const AsyncView&, const AsyncView&, std::int64_t, std::int64_t);
template void copy_factors<Device>(const AsyncView&, const AsyncView&, std::int64_t, std::int64_t);
template void find_scale<Host>(const AsyncView&, double*);
template void find_scale<Device>(const AsyncView&, double*);
template void measure_rows<Host>(const AsyncView&, double*, double*, double*);
template void measure_rows<Device>(const AsyncView&, double*, double*, double*);
template int count_replaced<Host>(const AsyncView&);
template int count_replaced<Device>(const AsyncView&);

}  // namespace weir::async_ilu
