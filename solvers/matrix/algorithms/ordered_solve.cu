// A thread a row (ordered_solve.hpp). What a row needs of others is asked for four at a time, what it has of its own is read before it
// waits; a value is a relaxed load and a relaxed store, with nothing else to be seen by who reads it. Lanes of a warp wait for each
// other: every turn of the loop lets those go on that can.
//   bytes: 12 an entry, b, x, starts; one chain of store and load through L2 for each row that waits
#include "solvers/matrix/algorithms/ordered_solve.hpp"

#include "solvers/device/block.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/launch.hpp"

namespace weir {
namespace ordered {
namespace {

constexpr int threads = 128, at_once = 4;
constexpr std::int64_t nothing = -1, other_nan = 0x7ff8000000000000;

__device__ inline double as_double(std::int64_t bits) {
  double v;
  __builtin_memcpy(&v, &bits, sizeof v);
  return v;
}
__device__ inline std::int64_t as_bits(double v) {
  std::int64_t bits;
  __builtin_memcpy(&bits, &v, sizeof bits);
  return bits == nothing ? other_nan : bits;
}

struct Turn {
  unsigned *drawn, first;  // the counter, and what it was before the launch
};

// x: holds nothing yet. forget: the row's place there becomes nothing, after b was read, which may be the same.
template <bool Forward>
__global__ void __launch_bounds__(threads)
    solve_rows(ScalarRows t, const double* d, const double* b, std::int64_t* x, std::int64_t* forget, Turn turn) {
  WEIR_SHARED(unsigned, ticket, [1]);
  if (threadIdx.x == 0) ticket[0] = atomicAdd(turn.drawn, 1u) - turn.first;
  __syncthreads();
  const std::int64_t p = std::int64_t{ticket[0]} * threads + threadIdx.x;
  bool waits = p < t.rows;
  const int i = !waits ? 0 : static_cast<int>(Forward ? p : t.rows - 1 - p);
  std::int64_t e = waits ? t.start[i] : 0;
  const std::int64_t end = waits ? t.start[i + 1] : 0;
  double sum = waits ? b[i] : 0;
  const double factor = waits && d ? d[i] : 1;
  if (waits) forget[i] = nothing;
  int column[at_once];
  double value[at_once];
  const auto fetch = [&] {  // beyond the end: the last entry
    for (int k = 0; k < at_once; ++k) {
      const std::int64_t at = e + k < end ? e + k : end - 1;
      column[k] = t.column[at];
      value[k] = t.value[at];
    }
  };
  if (e < end) fetch();
  // All lanes make all turns, so that none can wait at the loop's end for one that waits for it.
  while (__any_sync(full_warp, waits)) {
    if (e < end) {
      std::int64_t bits[at_once];
      bool is_there = true;
      for (int k = 0; k < at_once; ++k) bits[k] = load_relaxed(x + column[k]);
      for (int k = 0; k < at_once; ++k) is_there = is_there && bits[k] != nothing;
      if (is_there) {
        for (int k = 0; k < at_once; ++k) sum -= e + k < end ? value[k] * as_double(bits[k]) : 0;
        e += at_once;
        if (e < end) fetch();
      }
    }
    if (waits && e >= end) {
      store_relaxed(x + i, as_bits(sum * factor));
      waits = false;
    }
  }
}

void forget_all(std::int64_t* x, int rows) {
  for_each<Device>(rows, [=] WEIR_HD(int i) { x[i] = nothing; });
}

}  // namespace
}  // namespace ordered

OrderedSolve::OrderedSolve(int rows) : y_(rows), drawn_(std::vector<unsigned>(1, 0)) {
  ordered::forget_all(reinterpret_cast<std::int64_t*>(y_.data()), rows);
}

void OrderedSolve::operator()(const ScalarRows& L, const ScalarRows& U, const double* d, const double* r, double* z) {
  if (L.rows == 0) return;
  const auto grid = static_cast<unsigned>((L.rows + ordered::threads - 1) / ordered::threads);
  auto *y = reinterpret_cast<std::int64_t*>(y_.data()), *x = reinterpret_cast<std::int64_t*>(z);
  const double* none = nullptr;
  const auto turn = [&] {
    const ordered::Turn now{drawn_.data(), tickets_};
    tickets_ += grid;
    return now;
  };
  const LaunchConfig config{.grid = grid, .block = ordered::threads, .name = "triangular solve in order"};
  launch(config, ordered::solve_rows<true>, L, none, r, y, x, turn());
  launch(config, ordered::solve_rows<false>, U, d, static_cast<const double*>(y_.data()), x, y, turn());
}

}  // namespace weir
