// Asynchronous sweeps on the device: a thread a row, one launch a sweep. Within a launch rows read what others store
// meanwhile: relaxed loads and stores, each value whole, old or new, in no order.
#include "solvers/device/for_each.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/preconditioner/async_ilu/async_ilu_rows.hpp"

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

void clear(double* x, int size) {
  for_each<Device>(size, [=] WEIR_HD(int i) { x[i] = 0; });
}
void multiply_by(const double* scale, double* x, int size) {
  for_each<Device>(size, [=] WEIR_HD(int i) { x[i] *= scale[i]; });
}

template <int Cap>
void sweep(const AsyncView& f, int sweeps) {
  for (int s = 0; s < sweeps; ++s) launch(config(f.rows, "asynchronous ILU sweep"), build_rows<Cap>, f);
}

template <int Cap>
void solve(const AsyncView& f, int sweeps, const double* r, double* y, double* z) {
  clear(y, f.rows * f.n);
  for (int s = 0; s < sweeps; ++s) launch(config(f.rows, "asynchronous forward sweep"), forward_rows<Cap>, f, r, y);
  clear(z, f.rows * f.n);
  for (int s = 0; s < sweeps; ++s)
    launch(config(f.rows, "asynchronous backward sweep"), backward_rows<Cap>, f, static_cast<const double*>(y), z);
  if (f.scale) multiply_by(f.scale, z, f.rows * f.n);
}

}  // namespace

void sweep_device(const AsyncView& f, int sweeps) { f.n == 1 ? sweep<1>(f, sweeps) : sweep<largest_block>(f, sweeps); }

void solve_device(const AsyncView& f, int sweeps, const double* r, double* y, double* z) {
  f.n == 1 ? solve<1>(f, sweeps, r, y, z) : solve<largest_block>(f, sweeps, r, y, z);
}

}  // namespace weir::async_ilu
