// Does [select] pay? Twelve cases of all miniapps, each by its default, by each other solver alone, and by [select] among them:
//   weir bench select [-o DIR]
// Rounds of all runs, in random order, one thread; cost is the processor time of the whole process, racing included, of which
// medians are compared. A solver that takes over three times the default's first time is stopped: "more than". DIR/select.csv:
// a row a run; DIR/select.json: a row a case.
#pragma once
#include "tests/benchmarks/lab/aa.hpp"

namespace weir::bench {

int select_cases(const LabOptions& options);

}  // namespace weir::bench
