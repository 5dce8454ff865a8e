// Does [select] pay? Fourteen cases of all miniapps, each by its default, by each other solver alone, and by [select]
// among them, with each of its rules:
//   weir bench select [-o DIR]
// A round of a case runs the default twice, [select] with each rule and the other solvers side by side on one core, one
// thread each, and stops the others when those before have ended: "more than". Cost is the processor time of the whole
// process, racing included, over that of the default in the same round; medians of rounds are printed, and as noise the
// median difference of the default's two runs. DIR/select.csv: one row per run; DIR/select.json: one row per case.
#pragma once
#include "tests/benchmarks/lab/aa.hpp"

namespace weir::bench {

int select_cases(const LabOptions& options);

}  // namespace weir::bench
