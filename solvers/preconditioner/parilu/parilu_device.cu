// Sweeps, residual and candidates on the device, eight lanes per row.
//  candidates   row i of A and the rows of U that L_i names are streams of ascending columns; a lane holds every eighth
//               stream. The smallest column at their heads is the next of A - L U: a merge, so that F is sorted. One
//               pass to count, one to fill (the paper's two passes).
//  residual     a lane per entry of F (Fig. 7): along L_i, with a binary search in a row of U for each entry. No
//               transposed U is kept, and the lanes of a row read the same rows of U.
//  sweep        the same for the entries of L, the diagonal and U (Fig. 6). Asynchronous: relaxed loads and stores,
//               each value whole, old or new; a block is stored once, complete (async_ilu.hpp).
// Bytes per term: 12 of L and about 4 log2(row of U) + 12 of U; 2 flops. Residuals and synchronous sweeps do not depend
// on timing.
#include <climits>

#include "solvers/device/block.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/preconditioner/async_ilu/async_ilu.hpp"
#include "solvers/preconditioner/parilu/parilu.hpp"

namespace weir::parilu {
namespace {

constexpr int lanes = 8, threads = 256;
constexpr int most_of_a_lane = 8;  // larger blocks take a whole workgroup

struct Place {
  int row, lane;
};
__device__ inline Place place() {
  const int t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  return {t / lanes, t % lanes};
}
LaunchConfig config(int rows, bool collectives, const char* name) {
  return {.grid = static_cast<unsigned>((rows + threads / lanes - 1) / (threads / lanes)),
          .block = threads,
          .collectives = collectives,
          .name = name};
}

// Position of column j among the ascending columns from .. to - 1, or -1.
__device__ inline std::int64_t find(const int* column, std::int64_t from, std::int64_t to, int j) {
  std::int64_t beyond = to;
  while (from < beyond) {
    const std::int64_t middle = (from + beyond) / 2;
    if (column[middle] < j)
      from = middle + 1;
    else
      beyond = middle;
  }
  return from < to && column[from] == j ? from : -1;
}

template <bool Shared>
__device__ inline double load(const double* p) {
  return Shared ? load_relaxed(p) : *p;
}
template <bool Shared>
__device__ inline void store(double* p, double v) {
  if (Shared)
    store_relaxed(p, v);
  else
    *p = v;
}
template <bool Shared>
__device__ void load(const double* from, int count, double* to) {
  for (int q = 0; q < count; ++q) to[q] = load<Shared>(from + q);
}
template <bool Shared>
__device__ void store(double* to, int count, const double* from) {
  for (int q = 0; q < count; ++q) store<Shared>(to + q, from[q]);
}

// block = A_ij - sum_{k < min(i, j)} L_ik U_kj
template <bool Shared, int Cap>
__device__ void form_target(const BlockCsrView& A, const FactorsView& f, int i, int j, double* block) {
  const int n = f.n, nn = n * n;
  const std::int64_t a = find(A.column.data(), A.row_start[i], A.row_start[i + 1], j);
  for (int v = 0; v < n; ++v)
    for (int u = 0; u < n; ++u) block[v * n + u] = a < 0 ? 0 : A.value[a * nn + u * n + v];
  double l[Cap * Cap], u[Cap * Cap];
  for (std::int64_t e = f.lower.start[i]; e < f.lower.start[i + 1]; ++e) {
    const int k = f.lower.column[e];
    if (k >= j) break;
    const std::int64_t m = find(f.upper.column, f.upper.start[k], f.upper.start[k + 1], j);
    if (m < 0) continue;
    load<Shared>(f.lower.value + e * nn, nn, l);
    load<Shared>(f.upper.value + m * nn, nn, u);
    async_ilu::subtract(n, block, l, u);
  }
}

template <bool Shared, int Cap>
__global__ void sweep_rows(BlockCsrView A, FactorsView in, FactorsView out) {
  const Place p = place();
  if (p.row >= in.rows) return;
  const int i = p.row, n = in.n, nn = n * n;
  const std::int64_t l0 = in.lower.start[i], u0 = in.upper.start[i];
  const int lowers = static_cast<int>(in.lower.start[i + 1] - l0),
            all = lowers + 1 + static_cast<int>(in.upper.start[i + 1] - u0);
  double block[Cap * Cap], inverse[Cap * Cap], product[Cap * Cap];
  for (int q = p.lane; q < all; q += lanes) {
    if (q < lowers) {
      const int j = in.lower.column[l0 + q];
      form_target<Shared, Cap>(A, in, i, j, block);
      load<Shared>(in.inverse + std::int64_t{j} * nn, nn, inverse);
      async_ilu::multiply(n, product, block, inverse);
      store<Shared>(out.lower.value + (l0 + q) * nn, nn, product);
    } else if (q == lowers) {
      form_target<Shared, Cap>(A, in, i, i, block);
      out.replaced[i] = async_ilu::invert_or_replace(n, block) ? 0 : 1;
      store<Shared>(out.inverse + std::int64_t{i} * nn, nn, block);
    } else {
      const std::int64_t e = u0 + q - lowers - 1;
      form_target<Shared, Cap>(A, in, i, in.upper.column[e], block);
      store<Shared>(out.upper.value + e * nn, nn, block);
    }
  }
}

template <int Cap>
__global__ void residual_of_rows(BlockCsrView A, FactorsView f, RowsView lower, RowsView upper) {
  const Place p = place();
  if (p.row >= f.rows) return;
  const int i = p.row, nn = f.n * f.n;
  const std::int64_t l0 = lower.start[i], u0 = upper.start[i];
  const int lowers = static_cast<int>(lower.start[i + 1] - l0),
            all = lowers + static_cast<int>(upper.start[i + 1] - u0);
  double block[Cap * Cap];
  for (int q = p.lane; q < all; q += lanes) {
    const RowsView& F = q < lowers ? lower : upper;
    const std::int64_t e = q < lowers ? l0 + q : u0 + q - lowers;
    form_target<false, Cap>(A, f, i, F.column[e], block);
    store<false>(F.value + e * nn, nn, block);
  }
}

// Streams of a row: 0 is row i of A, 1 + q the row of U for the q-th entry of L. head: position in each stream.
struct Streams {
  const BlockCsrView& A;
  const FactorsView& f;
  int row, count;
  int* head;

  __device__ int column(int s) const {
    const bool of_A = s == 0;
    const int k = of_A ? row : f.lower.column[f.lower.start[row] + s - 1];
    const std::int64_t at = (of_A ? A.row_start[k] : f.upper.start[k]) + head[s],
                       end = of_A ? A.row_start[k + 1] : f.upper.start[k + 1];
    if (at >= end) return INT_MAX;
    return of_A ? A.column[at] : f.upper.column[at];
  }
};

// Advances along an ascending row to column j; true if it is there.
struct Cursor {
  const int* column;
  std::int64_t at, end;
  __device__ bool reaches(int j) {
    while (at < end && column[at] < j) ++at;
    return at < end && column[at] == j;
  }
};

template <bool Fill>
__global__ void merge_rows(BlockCsrView A, FactorsView f, int* heads, int* lower_count, int* upper_count,
                           RowsView lower, RowsView upper) {
  const Place p = place();
  const bool busy = p.row < f.rows;
  const int i = busy ? p.row : 0;
  const std::int64_t l0 = f.lower.start[i], l1 = f.lower.start[i + 1];
  const Streams s{A, f, i, busy ? 1 + static_cast<int>(l1 - l0) : 0, heads + l0 + i};
  for (int q = p.lane; q < s.count; q += lanes) s.head[q] = 0;
  Cursor in_L{f.lower.column, l0, l1}, in_U{f.upper.column, f.upper.start[i], f.upper.start[i + 1]};
  int lowers = 0, uppers = 0;
  for (;;) {
    int j = INT_MAX;
    for (int q = p.lane; q < s.count; q += lanes) j = Smaller{}(j, s.column(q));
    for (int d = lanes / 2; d > 0; d /= 2) j = Smaller{}(j, __shfl_xor_sync(full_warp, j, d, lanes));
    if (!__any_sync(full_warp, j != INT_MAX)) break;
    if (j == INT_MAX) continue;  // this row is done
    for (int q = p.lane; q < s.count; q += lanes)
      if (s.column(q) == j) ++s.head[q];
    if (j == i || (j < i ? in_L.reaches(j) : in_U.reaches(j))) continue;
    if (Fill && p.lane == 0) {
      if (j < i)
        lower.column[lower.start[i] + lowers] = j;
      else
        upper.column[upper.start[i] + uppers] = j;
    }
    ++(j < i ? lowers : uppers);
  }
  if (Fill || !busy || p.lane != 0) return;
  lower_count[i] = lowers;
  upper_count[i] = uppers;
}

// Sweeps and residual for blocks of 9 to 64 unknowns: a workgroup per block row, entry by entry; thread u sums row u of
// the current block and stores each value once. Shared memory holds the block that all rows need (a block of U, an
// inverse, or the diagonal block during inversion: n^2 doubles, at most 32 KiB).
//  Bytes: 8 n^2 of L and of U per product; 2 n^3 flops.
constexpr int large_threads = largest_parilu_block;

// Copies a block into shared memory; called by all threads of the workgroup.
template <bool Shared>
__device__ void fetch(int nn, const double* from, double* block) {
  __syncthreads();  // the previous block has been read
  for (int q = static_cast<int>(threadIdx.x); q < nn; q += large_threads) block[q] = load<Shared>(from + q);
  __syncthreads();
}

// row = row u of A_ij - sum_{k < min(i, j)} L_ik U_kj; called by all threads. block: shared, one U_kj at a time.
template <bool Shared>
__device__ void form_row(const BlockCsrView& A, const FactorsView& f, int i, int j, int u, double* block, double* row) {
  const int n = f.n, nn = n * n;
  const std::int64_t a = find(A.column.data(), A.row_start[i], A.row_start[i + 1], j);
  for (int v = 0; u < n && v < n; ++v) row[v] = a < 0 ? 0 : A.value[a * nn + u * n + v];
  for (std::int64_t e = f.lower.start[i]; e < f.lower.start[i + 1]; ++e) {
    const int k = f.lower.column[e];
    if (k >= j) break;
    const std::int64_t m = find(f.upper.column, f.upper.start[k], f.upper.start[k + 1], j);
    if (m < 0) continue;
    fetch<Shared>(nn, f.upper.value + m * nn, block);
    for (int w = 0; u < n && w < n; ++w) {
      const double l = load<Shared>(f.lower.value + e * nn + w * n + u);
      for (int v = 0; v < n; ++v) row[v] = fma(-l, block[v * n + w], row[v]);
    }
  }
}

// d <- d^-1 as async_ilu::invert_or_replace, a row per thread; called by all threads of the workgroup.
__device__ bool invert_together(int n, int u, double* d) {
  double size = 0;
  for (int e = 0; e < n * n; ++e) size = fmax(size, fabs(d[e]));
  bool usable = true;
  for (int r = 0; r < n; ++r) {
    __syncthreads();
    const double pivot = d[r * n + r], inverse = 1 / pivot;
    usable = usable && pivot != 0 && inverse - inverse == 0 && pivot - pivot == 0;
    __syncthreads();
    if (u == r) {
      d[r * n + r] = 1;
      for (int v = 0; v < n; ++v) d[v * n + r] = d[v * n + r] * inverse;
    }
    __syncthreads();
    if (u >= n || u == r) continue;
    const double factor = d[r * n + u];
    d[r * n + u] = 0;
    for (int v = 0; v < n; ++v) d[v * n + u] = fma(-factor, d[v * n + r], d[v * n + u]);
  }
  __syncthreads();  // the last pivot row has been read
  const double one = size > 0 && size - size == 0 ? 1 / size : 1;
  for (int v = 0; u < n && v < n && !usable; ++v) d[v * n + u] = u == v ? one : 0;
  return usable;
}

template <bool Shared>
__global__ void sweep_large_rows(BlockCsrView A, FactorsView in, FactorsView out) {
  WEIR_DYNAMIC_SHARED(double, block);
  const int i = static_cast<int>(blockIdx.x), u = static_cast<int>(threadIdx.x), n = in.n, nn = n * n;
  double row[largest_parilu_block];
  for (std::int64_t e = in.lower.start[i]; e < in.lower.start[i + 1]; ++e) {
    const int j = in.lower.column[e];
    form_row<Shared>(A, in, i, j, u, block, row);
    fetch<Shared>(nn, in.inverse + std::int64_t{j} * nn, block);
    for (int v = 0; u < n && v < n; ++v) {
      double s = 0;
      for (int w = 0; w < n; ++w) s = fma(row[w], block[v * n + w], s);
      store<Shared>(out.lower.value + e * nn + v * n + u, s);
    }
  }
  form_row<Shared>(A, in, i, i, u, block, row);
  __syncthreads();
  for (int v = 0; u < n && v < n; ++v) block[v * n + u] = row[v];
  __syncthreads();
  const bool usable = invert_together(n, u, block);
  if (u == 0) out.replaced[i] = usable ? 0 : 1;
  for (int v = 0; u < n && v < n; ++v) store<Shared>(out.inverse + std::int64_t{i} * nn + v * n + u, block[v * n + u]);
  for (std::int64_t e = in.upper.start[i]; e < in.upper.start[i + 1]; ++e) {
    form_row<Shared>(A, in, i, in.upper.column[e], u, block, row);
    for (int v = 0; u < n && v < n; ++v) store<Shared>(out.upper.value + e * nn + v * n + u, row[v]);
  }
}

__device__ inline void residual_of_row(const BlockCsrView& A, const FactorsView& f, const RowsView& F, int i, int u,
                                       double* block) {
  const int n = f.n;
  double row[largest_parilu_block];
  for (std::int64_t e = F.start[i]; e < F.start[i + 1]; ++e) {
    form_row<false>(A, f, i, F.column[e], u, block, row);
    for (int v = 0; u < n && v < n; ++v) F.value[(e * n + v) * n + u] = row[v];
  }
}

__global__ void residual_of_large_rows(BlockCsrView A, FactorsView f, RowsView lower, RowsView upper) {
  WEIR_DYNAMIC_SHARED(double, block);
  const int i = static_cast<int>(blockIdx.x), u = static_cast<int>(threadIdx.x);
  residual_of_row(A, f, lower, i, u, block);
  residual_of_row(A, f, upper, i, u, block);
}

LaunchConfig config(const FactorsView& f, const char* name) {
  return {.grid = static_cast<unsigned>(f.rows),
          .block = large_threads,
          .shared_bytes = static_cast<std::size_t>(f.n * f.n) * sizeof(double),
          .name = name};
}

}  // namespace

template <>
void find_candidates<Device>(const BlockCsrView& A, const FactorsView& f, Rows<Device>& lower, Rows<Device>& upper,
                             Work<Device>& work) {
  const int rows = f.rows;
  std::int64_t entries = 0;
  backend::copy_to_host(&entries, f.lower.start + rows, sizeof entries);
  int *heads = work.place.reserve(entries + rows), *lower_count = work.lower_count.reserve(rows),
      *upper_count = work.upper_count.reserve(rows);
  const auto merge = [&](auto kernel, const char* name) {
    launch(config(rows, true, name), kernel, A, f, heads, lower_count, upper_count, lower.view(), upper.view());
  };
  merge(merge_rows<false>, "count candidates");
  lower.reserve(work.prefix_sum(lower_count, rows, lower.start.reserve(rows + 1)), f.n);
  upper.reserve(work.prefix_sum(upper_count, rows, upper.start.reserve(rows + 1)), f.n);
  merge(merge_rows<true>, "fill candidates");
}

template <>
void residual<Device>(const BlockCsrView& A, const FactorsView& f, const RowsView& lower, const RowsView& upper,
                      Work<Device>&) {
  if (f.n > most_of_a_lane)
    return launch(config(f, "ParILU residual, large blocks"), residual_of_large_rows, A, f, lower, upper);
  launch(config(f.rows, false, "ParILU residual"), f.n == 1 ? residual_of_rows<1> : residual_of_rows<most_of_a_lane>, A,
         f, lower, upper);
}

template <>
void sweep<Device>(const BlockCsrView& A, const FactorsView& in, const FactorsView& out, Work<Device>&) {
  const bool in_place = in.inverse == out.inverse;
  if (in.n > most_of_a_lane)
    launch(config(in, "ParILU sweep, large blocks"), in_place ? sweep_large_rows<true> : sweep_large_rows<false>, A, in,
           out);
  else if (in.n == 1)
    launch(config(in.rows, false, "ParILU sweep"), in_place ? sweep_rows<true, 1> : sweep_rows<false, 1>, A, in, out);
  else
    launch(config(in.rows, false, "ParILU sweep"),
           in_place ? sweep_rows<true, most_of_a_lane> : sweep_rows<false, most_of_a_lane>, A, in, out);
}

}  // namespace weir::parilu
