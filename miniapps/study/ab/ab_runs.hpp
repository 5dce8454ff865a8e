// The runs of a study, one child process of this program after another, each in its own directory:
//   DIR/runs/NAME     the run directory         NAME: case.configuration.repeat, percent-encoded
//   DIR/logs/NAME.txt what it printed
//   DIR/done/NAME.json its command and how it ended: such a run is not repeated as long as its command is the same
//                   and what it reads (case, mesh, tables, plugins, modules), this program and the processor are
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "miniapps/study/ab/ab_study.hpp"

namespace weir {

// A run, and what its directory says of its cost up to where the runs of a study are compared.
struct AbRun {
  AbTwin twin;
  int exit_code = -1;
  std::string status, reason;  // as run.json says, or why there is none
  bool counts = false;         // it came to where runs are compared
  bool is_stopped = false;     // by the budget before that: what follows is of what it did until then
  bool has_cost() const { return counts || is_stopped; }

  // Up to there, from the start of the time loop:
  std::int64_t steps = 0;
  double time = 0, seconds = 0, before_loop = 0;
  std::int64_t solves = 0, iterations = 0;
  double setup_seconds = 0, solve_seconds = 0;  // of the linear solvers
  std::int64_t failed_solves = 0;               // not converged
  double failed_seconds = 0, p95_solve_seconds = 0;
  double other_seconds() const { return seconds - setup_seconds - solve_seconds; }

  double processor_seconds = 0;  // of the whole process
  std::int64_t peak_bytes = 0;
  std::string state_hash;  // of the end of the run
  std::map<std::string, double> quantities;
  std::string relay;  // the block of that name in run.json; empty: none
};

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
