// Factorisation on the device in one launch: a warp per block row, whose blocks stay in shared memory until they are
// complete. Warps draw rows in level order and process the rows that theirs depends on one by one as they become
// available: the warp with the lowest unfinished row waits for finished ones only, so that no co-residency is needed. A
// row passes on only F, written before lane 0 releases the flag of the row. Flags count factorisations and are never
// reset. Every sum has a fixed order: runs repeat bit for bit.
//  bytes: A once, the factors once, F again for each product
#include <algorithm>

#include "solvers/device/block.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0_csr.hpp"

namespace weir {
namespace block_ilu0 {
namespace {

constexpr int threads_of_rows = 128, warps_of_rows = threads_of_rows / 32;
constexpr std::size_t most_shared = 96 << 10;                  // bytes per workgroup; longer rows use device memory
constexpr std::int64_t most_scratch = std::int64_t{64} << 20;  // bytes there

// d <- d^-1 in place by one warp: Gauss-Jordan elimination, with the largest entry of each column as its pivot where
// wanted. line: 3 n values. False: a pivot was 0 or not a number.
template <int N>
__device__ bool invert(int block, double* d, double* line, bool pivoting, int lane) {
  const int n = N > 0 ? N : block, nn = n * n;
  double *row = line, *column = line + n, *from = line + 2 * n;
  bool usable = true;
  for (int r = 0; r < n; ++r) {
    int p = r;
    for (int u = r + 1; u < n && pivoting; ++u)
      if (fabs(d[r * n + u]) > fabs(d[r * n + p])) p = u;
    const double pivot = d[r * n + p], inverse = 1 / pivot;
    usable = usable && pivot != 0 && pivot - pivot == 0;
    for (int w = lane; w < n; w += 32) {  // row r, which is row p, and column r with those two exchanged
      row[w] = (w == r ? 1 : d[w * n + p]) * inverse;
      column[w] = d[r * n + (w == p ? r : w)];
    }
    if (lane == 0) from[r] = p;
    __syncwarp();
    for (int e = lane; e < nn; e += 32) {
      const int u = e % n, v = e / n;
      // Row p holds what row r held; that row's values are read by the lane that replaces them below, so both are this
      // lane's.
      if (u == r || (u == p && p != r)) continue;
      d[e] = (v == r ? 0 : d[e]) - column[u] * row[v];
    }
    for (int v = lane; v < n; v += 32) {
      if (p != r) d[v * n + p] = (v == r ? 0 : d[v * n + r]) - column[p] * row[v];
      d[v * n + r] = row[v];
    }
    __syncwarp();
  }
  for (int r = n - 1; r >= 0 && pivoting; --r) {  // row exchanges of d are column exchanges of its inverse
    const int p = static_cast<int>(from[r]);
    for (int u = lane; u < n && p != r; u += 32) {
      const double kept = d[r * n + u];
      d[r * n + u] = d[p * n + u];
      d[p * n + u] = kept;
    }
    __syncwarp();
  }
  return usable;
}

struct RowsInOrder {
  Tickets tickets;
  int *finished, turn;  // per row: the factorisation in which it was last finished
  int* bad;             // per row: 1 if its diagonal block could not be inverted
  double* scratch;      // null: shared memory
  int stride;           // values per warp
};

template <int N, class T, class V>
__global__ void __launch_bounds__(threads_of_rows, 6) factorise_rows(CsrFactors<T, V> f, RowsInOrder w) {
  WEIR_DYNAMIC_SHARED(double, shared);
  const int n = N > 0 ? N : f.A.block, nn = n * n;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  double* row =
      w.scratch ? w.scratch + (std::int64_t{blockIdx.x} * warps_of_rows + warp) * w.stride : shared + warp * w.stride;
  const auto draw = [&] { return lane == 0 ? atomicAdd(w.tickets.counter, 1u) - w.tickets.start : 0u; };
  for (unsigned ticket = draw(), next;; ticket = next) {
    const int p = static_cast<int>(__shfl_sync(full_warp, ticket, 0));
    if (p >= f.lower.rows) return;
    next = draw();  // early, to hide the latency of the counter
    const int i = f.lower.order[p], q = f.upper_position[i];
    const std::int64_t to_lower = f.lower.start[p] * nn, to_upper = f.upper.start[q] * nn, l = f.lower_first[i];
    const int lowers = static_cast<int>(f.lower.start[p + 1] - f.lower.start[p]),
              uppers = static_cast<int>(f.upper.start[q + 1] - f.upper.start[q]);
    const std::int64_t first = f.A.diagonal[i] - lowers;
    const V* A = f.A.value.data() + first * nn;
    for (int k = lane; k < (lowers + 1 + uppers) * nn; k += 32) {
      const int e = k % nn;  // row by row in A, column by column here
      row[k - e + e % n * n + e / n] = static_cast<double>(A[k]);
    }
    unsigned there = 0;
    for (int s = 0; s < lowers; ++s) {
      const int* column = f.A.column.data() + first + s;
      if (s % 32 == 0)
        there = __ballot_sync(full_warp, s + lane >= lowers || load_acquire(w.finished + column[lane]) == w.turn);
      if (lane == 0 && !(there >> s % 32 & 1)) wait_until(w.finished + column[0], w.turn);
      __syncwarp();  // orders the acquired values, and the blocks as the last row left them
      const std::int64_t from = f.match_start[l + s];
      const int items = static_cast<int>(f.match_start[l + s + 1] - from) * nn;
      for (int k = lane; k < items; k += 32) {
        const Match m = f.match[from + k / nn];
        const int e = k % nn, u = e % n, v = e / n;
        const T* F = f.upper.value + std::int64_t{m.upper} * nn + v * n;
        const double* E = row + s * nn + u;
        double d = row[m.slot * nn + e];
        for (int j = 0; j < n; ++j) d -= E[j * n] * static_cast<double>(F[j]);
        row[m.slot * nn + e] = d;
      }
    }
    __syncwarp();
    double* d = row + lowers * nn;
    const bool usable = invert<N>(n, d, row + w.stride - 3 * n, f.pivoting, lane);
    const auto scaled = [&](int k) {  // value k of d^-1 times the row
      const int e = k % nn;
      const double *D = d + e % n, *b = row + (k - e) + e / n * n;
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += D[j * n] * b[j];
      return static_cast<T>(sum);
    };
    for (int k = lane; k < uppers * nn; k += 32) f.upper.value[to_upper + k] = scaled(k + (lowers + 1) * nn);
    __syncwarp();
    if (lane == 0) store_release(w.finished + i, w.turn);
    for (int k = lane; k < lowers * nn; k += 32) f.lower.value[to_lower + k] = scaled(k);
    for (int k = lane; k < nn; k += 32) f.inverted[std::int64_t{p} * nn + k] = static_cast<T>(d[k]);
    if (lane == 0) w.bad[i] = usable ? 0 : 1;
    __syncwarp();  // before the blocks of the next row are loaded
  }
}

}  // namespace

FailedCell first_bad(const int* bad, int rows) {
  const double most =
      max_abs<Device>(rows, [=] WEIR_HD(int i) { return bad[i] ? static_cast<double>(rows - i) : 0.0; });
  return most > 0 ? rows - static_cast<int>(most) : -1;
}

}  // namespace block_ilu0

CsrRowsInOrder<Device>::CsrRowsInOrder(const std::vector<int>& level_start, int block, int longest)
    : rows_(level_start.back()),
      stride_((longest * block + 3) * block),
      finished_(std::vector<int>(static_cast<std::size_t>(rows_), 0)),
      bad_(rows_),
      drawn_(std::vector<unsigned>(1, 0)),
      turns_(drawn_.data()) {
  using namespace block_ilu0;
  int widest = 0;
  for (std::size_t l = 1; l < level_start.size(); ++l) widest = std::max(widest, level_start[l] - level_start[l - 1]);
  // Four times the widest level: waiting warps have already read their blocks of A.
  grid_ = (std::min(rows_, 4 * widest) + warps_of_rows - 1) / warps_of_rows;
  const std::int64_t of_group = std::int64_t{warps_of_rows} * stride_;
  shared_ = static_cast<std::size_t>(of_group) * sizeof(double);
  if (shared_ <= most_shared) return;
  shared_ = sizeof(double);  // not used: the kernel declares it
  grid_ = static_cast<int>(std::clamp<std::int64_t>(most_scratch / (8 * of_group), 1, std::max(1, grid_)));
  scratch_ = Array<double, Device>(grid_ * of_group);
}

template <class T, class V>
FailedCell CsrRowsInOrder<Device>::factorise(const block_ilu0::CsrFactors<T, V>& f) {
  using namespace block_ilu0;
  if (rows_ == 0) return -1;
  const Tickets tickets = turns_.draw(rows_, static_cast<unsigned>(grid_ * warps_of_rows));
  const RowsInOrder w{
      tickets, finished_.data(), turns_.next(), bad_.data(), scratch_.size() == 0 ? nullptr : scratch_.data(), stride_};
  const LaunchConfig config{.grid = static_cast<unsigned>(grid_),
                            .block = threads_of_rows,
                            .shared_bytes = shared_,
                            .name = "block_ilu0 factorisation of rows"};
  with_size(f.A.block, [&]<int N>(std::integral_constant<int, N>) { launch(config, factorise_rows<N, T, V>, f, w); });
  return first_bad(bad_.data(), rows_);
}

template <class Space, class T>
template <class V>
FailedCell CsrIlu0<Space, T>::factorise(const block_ilu0::CsrFactors<T, V>& f) {
  return in_order_.factorise(f);
}

template <class Space, class T>
void CsrIlu0<Space, T>::solve(const double* r, double* z) {
  lower_.solve(inverted_.data(), r, work_.data());
  upper_.solve(nullptr, work_.data(), z);
}

template FailedCell CsrIlu0<Device, double>::factorise(const block_ilu0::CsrFactors<double, double>&);
template FailedCell CsrIlu0<Device, double>::factorise(const block_ilu0::CsrFactors<double, float>&);
template FailedCell CsrIlu0<Device, float>::factorise(const block_ilu0::CsrFactors<float, double>&);
template FailedCell CsrIlu0<Device, float>::factorise(const block_ilu0::CsrFactors<float, float>&);
template void CsrIlu0<Device, double>::solve(const double*, double*);
template void CsrIlu0<Device, float>::solve(const double*, double*);

}  // namespace weir
