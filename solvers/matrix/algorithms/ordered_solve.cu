// One thread per row (ordered_solve.hpp). Values of other warps are read four at a time with relaxed loads. Values of
// the own warp come by shuffles, so a chain of neighbouring rows does not go through L2. Entries are taken from the
// farthest one on. If a warp cannot continue, only its first waiting lane polls and all lanes poll every fourth time,
// because the loads of all waiting threads would saturate L2.
//   bytes: 12 per entry, b, x, starts; one store and one load through L2 per row that waits for another warp
#include "solvers/matrix/algorithms/ordered_solve.hpp"

#include "solvers/device/block.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/matrix/algorithms/awaited_value.hpp"

namespace weir {
namespace ordered {
namespace {

constexpr int threads = 128, at_once = 4;
using awaited::as_bits, awaited::as_double, awaited::nothing;

struct Turn {
  unsigned *drawn, first;  // the counter, and its value before the launch
};

// x: initially `nothing`. forget: set to `nothing` after b is read; it may be the array of b.
template <bool Forward>
__global__ void __launch_bounds__(threads)
    solve_rows(ScalarRows t, const double* d, const double* b, std::int64_t* x, std::int64_t* forget, Turn turn) {
  WEIR_SHARED(unsigned, ticket, [1]);
  if (threadIdx.x == 0) ticket[0] = atomicAdd(turn.drawn, 1u) - turn.first;
  __syncthreads();
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t begin = std::int64_t{ticket[0]} * threads + threadIdx.x - lane;  // first position of the warp
  bool waits = begin + lane < t.rows;
  const int i = !waits ? 0 : static_cast<int>(Forward ? begin + lane : t.rows - 1 - begin - lane);
  const std::int64_t first = t.start[i], last = t.start[i + 1];
  int left = waits ? static_cast<int>(last - first) : 0;  // entries
  double sum = waits ? b[i] : 0;
  const double factor = waits && d ? d[i] : 1;
  std::int64_t mine = nothing;  // x of this row
  if (waits) forget[i] = nothing;
  int column[at_once];
  double value[at_once];
  int read = 0;             // number of entries held in column and value, at most at_once
  const auto fetch = [&] {  // clamped to the last entry
    read = left < at_once ? left : at_once;
    for (int k = 0; k < at_once; ++k) {
      const int behind = k < left ? left - k : 1;
      const std::int64_t at = Forward ? last - behind : first + behind - 1;
      column[k] = t.column[at];
      value[k] = t.value[at];
    }
  };
  const auto drop_first = [&] {
    for (int k = 0; k + 1 < at_once; ++k) {
      column[k] = column[k + 1];
      value[k] = value[k + 1];
    }
    --left;
    if (--read == 0 && left > 0) fetch();
  };
  const auto lane_of = [&](int of) {  // negative: in another warp
    return static_cast<int>((Forward ? of : t.rows - 1 - of) - begin);
  };
  if (left > 0) fetch();
  // All lanes run all iterations, so that no lane waits at the end of the loop for one that waits for it.
  bool went_on = true;
  for (unsigned turns = 0; __any_sync(full_warp, waits); ++turns) {
    const bool is_outside = left > 0 && lane_of(column[0]) < 0;
    const unsigned before = __ballot_sync(full_warp, is_outside) & ((1u << lane) - 1);
    bool goes = false;
    if (is_outside && (went_on || before == 0 || turns % 4 == 0)) {
      std::int64_t bits[at_once];
      for (int k = 0; k < at_once; ++k)
        bits[k] = k < read && lane_of(column[k]) < 0 ? load_relaxed(x + column[k]) : nothing;
      int taken = 0;
      for (int k = 0; k < at_once; ++k) {
        if (taken < k || bits[k] == nothing) continue;
        sum -= value[k] * as_double(bits[k]);
        ++taken;
      }
      left -= taken;
      goes = taken > 0;
      if (goes && left > 0) fetch();
    }
    went_on = __any_sync(full_warp, goes);
    for (bool again = true; again; went_on = went_on || again) {
      const int from = left > 0 ? lane_of(column[0]) : -1;
      const std::int64_t bits = __shfl_sync(full_warp, mine, from & 31);
      goes = from >= 0 && bits != nothing;
      if (goes) {
        sum -= value[0] * as_double(bits);
        drop_first();
      }
      if (waits && left == 0) {
        mine = as_bits(sum * factor);
        store_relaxed(x + i, mine);
        waits = false;
        goes = true;
      }
      again = __any_sync(full_warp, goes);
    }
    if (!went_on) __nanosleep(40);
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
