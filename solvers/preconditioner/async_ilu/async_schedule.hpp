// Prescribed asynchrony: a seeded model in place of what threads and memory do, so that asynchronous iterations repeat
// bit for bit. In the paper's words (Kashi & Nadarajah 2020, section 3.1) it gives
//   the update function u(j): at step j `lanes` rows are updated, one a lane. Lanes draw chunks of consecutive rows in
//     the order of the loop and walk through them side by side; a sweep has T steps;
//   the shift functions s(j): what row i reads of row k at step j is k's value after step j - 1 - s, with s in
//     0 .. delay drawn by a hash of the seed, j, i and k.
// One lane and no delay: every read sees the step before, which is the sequential algorithm. A delay is less than T, so
// a value is at most two updates old: two slots, written in turn, hold all that can be read, and no step writes a slot
// that the same step reads.
#pragma once
#include <cstdint>

#include "solvers/device/space.hpp"

namespace weir {

struct AsyncSchedule {
  int rows = 0, chunk = 1, lanes = 1, delay = 0;
  std::uint64_t seed = 1;

  WEIR_HD int steps() const {
    const int strip = lanes * chunk, whole = rows / strip, rest = rows % strip;
    return whole * chunk + (rest < chunk ? rest : chunk);
  }
  // The row that a lane updates at a step of a sweep; none where it is not less than rows.
  WEIR_HD int row(int step, int lane) const { return step / chunk * lanes * chunk + lane * chunk + step % chunk; }
  WEIR_HD int step_of(int row) const { return row / (lanes * chunk) * chunk + row % chunk; }

  WEIR_HD int shift(std::int64_t j, int reader, int source) const {
    if (delay == 0) return 0;
    std::uint64_t h = seed + 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(j);
    h = (h ^ (static_cast<std::uint64_t>(reader) << 32 | static_cast<std::uint64_t>(source))) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 31)) * 0x94d049bb133111ebu;
    h ^= h >> 29;
    const int T = steps(), most = delay < T ? delay : T - 1;
    return static_cast<int>(h % static_cast<std::uint64_t>(most + 1));
  }
  // The sweep whose value `reader`, updated at this step of this sweep, reads of `source`; -1: the initial guess.
  WEIR_HD int sweep_read(int sweep, int step, int reader, int source) const {
    const int T = steps();
    const std::int64_t j = std::int64_t{sweep} * T + step, last = j - 1 - shift(j, reader, source);
    int s = sweep;
    while (s >= 0 && std::int64_t{s} * T + step_of(source) > last) --s;
    return s;
  }
  // The slot that holds what `reader`, updated at this step of this sweep, reads of `source`. The initial guess is in
  // the slot of sweep -1, which is 1.
  WEIR_HD int slot(int sweep, int step, int reader, int source) const {
    return sweep_read(sweep, step, reader, source) & 1;
  }
};

}  // namespace weir
