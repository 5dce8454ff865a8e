// Times the three kernels of the paper (factorisation, triangular solve, residual) of a block system on each schedule
// that this build can time.
#pragma once
#include <string>
#include <vector>

#include "solvers/preconditioner/block_ilu0/block_ilu0.hpp"
#include "tests/support/systems/block_systems.hpp"

namespace weir::bench {

// Operations and least bytes of a kernel for one point with blocks of n. FLOP: multiplications and divisions, as
// the paper counts: factorisation 6 products and 1 inverse, 8 n^3; solve 8 n^2; residual 7 n^2. Bytes: the
// factorisation reads 7 blocks and writes 1; a solve reads 6 blocks of A, d twice, and 4 vectors; a residual 7 blocks
// and 3 vectors.
struct PointWork {
  double flop = 0, bytes = 0;
};
constexpr PointWork factorisation_work(double n) { return {8 * n * n * n, 64 * n * n}; }
constexpr PointWork solve_work(double n) { return {8 * n * n, 8 * (8 * n * n + 4 * n)}; }
constexpr PointWork residual_work(double n) { return {7 * n * n, 8 * (7 * n * n + 3 * n)}; }

// MB, Mflop, GB/s and the fraction of the triad of this work in these seconds.
std::vector<std::string> rates(PointWork work, double seconds, double triad);

// A way to run block_ilu0: the paper's sequential and OpenMP codes are `host` with one and with all threads. On Device
// a sweep takes one launch, which the paper's conclusion asks for.
struct Schedule {
  std::string name;
  bool on_device = false;
  int threads = 1;
};

// Sequential first. An emulated Device is left out: its times say nothing.
std::vector<Schedule> schedules_to_time();
// One line that says what was left out, or nothing.
std::string what_is_not_timed();

// Every schedule there is, the emulated Device's too: for comparing results.
std::vector<Schedule> all_schedules();

struct KernelSeconds {
  double factor = 0, solve = 0, residual = 0;
  // A run of the paper's: one factorisation, the first solve and three corrections.
  double run() const { return factor + 4 * solve + 3 * residual; }
};

// Of one sweep over the domain. One thread of the host: processor time, so that other programs count little.
// quick: one call of each, which shows that it works.
std::vector<KernelSeconds> kernel_seconds(const test::BlockSystem& system, const std::vector<Schedule>& schedules,
                                          bool quick = false);

}  // namespace weir::bench
