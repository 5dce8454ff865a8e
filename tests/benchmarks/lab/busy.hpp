// Cost of a run on a machine that other programs use too: cavity_re1000 next to 0 to 6 programs that only spin, on
// one thread, on every core (--threads) and as it comes (the number of threads adapts):
//   weir bench busy [-o DIR]
// Wall time over that alone, and over the fair share: a program of p threads next to k others on c cores gets p
// of the p + k parts of them, so it should take max(1, (p + k) / c) times as long (as it comes: the least of that over
// p). Medians of three rounds. DIR/busy.csv: a row a pair of threads and programs.
#pragma once
#include "tests/benchmarks/lab/aa.hpp"

namespace weir::bench {

int busy_machine(const LabOptions& options);

}  // namespace weir::bench
