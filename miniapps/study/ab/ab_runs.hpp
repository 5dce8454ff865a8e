// The runs of a study, one child process of this program after another, each in its own directory:
//   DIR/runs/NAME     the run directory         NAME: case.configuration.repeat
//   DIR/logs/NAME.txt what it printed
//   DIR/done/NAME.json its command and how it ended: such a run is not repeated as long as its command is the same
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "miniapps/study/ab/ab_costs.hpp"

namespace weir {

struct AbProgress {
  int done = 0, all = 0;
  bool was_there = false;  // from an earlier call
};

struct AbRuns {
  std::vector<AbRun> runs;
  int stopped_by = 0;  // the signal that ended the study: `runs` are those that were done by then
};

// In the order drawn. A run that fails is a run of the result. tell: after each. A signal that asks to stop (SIGINT, SIGTERM, SIGHUP)
// is passed on to the run under way.
AbRuns run_twins(const AbStudy& study, const std::string& directory,
                 const std::function<void(const AbProgress&, const AbRun&)>& tell);

}  // namespace weir
