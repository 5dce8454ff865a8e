// What a run directory says of the cost of a run up to where the runs of a study are compared.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "miniapps/study/ab/ab_study.hpp"
#include "miniapps/study/recorder/early_warning.hpp"

namespace weir {

struct AbRun {
  AbTwin twin;
  int exit_code = -1;
  std::string status, reason;  // as run.json says, or why there is none
  bool counts = false;         // it came to where runs are compared

  // Up to there, from the start of the time loop:
  std::int64_t steps = 0;
  double time = 0, seconds = 0;
  std::int64_t solves = 0, iterations = 0;
  double setup_seconds = 0, solve_seconds = 0;  // of the linear solvers
  double other_seconds() const { return seconds - setup_seconds - solve_seconds; }

  double processor_seconds = 0;  // of the whole process
  std::int64_t peak_bytes = 0;
  std::string state_hash;  // of the end of the run
  std::map<std::string, double> quantities;
  WarningScore warnings;  // where the run observes asynchronous ILU
};

// Fills in what the files tell; a run without them does not count, and the reason says why.
void read_costs(const std::string& directory, const AbTarget& target, AbRun& run);

}  // namespace weir
