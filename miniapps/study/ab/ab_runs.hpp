// The runs of a study. Each is a child process with its own directory; NAME is case.configuration.repeat,
// percent-encoded.
//   DIR/runs/NAME       the run directory
//   DIR/logs/NAME.txt   its output
//   DIR/done/NAME.json  its command and exit code; the run is not repeated while command, input files, program and processor
//                       stay the same
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "miniapps/study/ab/ab_study.hpp"

namespace weir {

// A run and its costs up to the point where the runs of a study are compared.
struct AbRun {
  AbTwin twin;
  int exit_code = -1;
  std::string status, reason;  // from run.json, or why it is missing
  bool counts = false;         // the run reached the point of comparison
  bool is_stopped = false;     // the budget stopped it before; the costs below are those until then
  bool has_cost() const { return counts || is_stopped; }

  // From the start of the time loop to the point of comparison:
  std::int64_t steps = 0;
  double time = 0, seconds = 0, before_loop = 0;
  std::int64_t solves = 0, iterations = 0;
  double setup_seconds = 0, solve_seconds = 0;  // linear solvers
  std::int64_t failed_solves = 0;               // not converged
  double failed_seconds = 0, p95_solve_seconds = 0;
  double other_seconds() const { return seconds - setup_seconds - solve_seconds; }

  double processor_seconds = 0;  // whole process
  std::int64_t peak_bytes = 0;
  std::string state_hash;  // final state
  std::map<std::string, double> quantities;
  std::string relay;  // block "relay" of run.json
};

struct AbProgress {
  int done = 0, all = 0;
  bool was_there = false;  // completed by an earlier call
};

struct AbRuns {
  std::vector<AbRun> runs;
  int stopped_by = 0;  // signal that ended the study; `runs` are the runs completed before it
};

// Runs in random order; a failed run is part of the result. `tell` is called after each run. SIGINT, SIGTERM and SIGHUP
// are passed on to the current run.
AbRuns run_twins(const AbStudy& study, const std::string& directory,
                 const std::function<void(const AbProgress&, const AbRun&)>& tell);

}  // namespace weir
