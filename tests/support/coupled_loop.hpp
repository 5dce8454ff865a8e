// The main loop of the coupled scheme in time with a clock on each of its parts, as Fig. 8 of Luo et al. 2015 cuts it.
// A breakdown of steps that end early would show other steps than its text says: every step must do all the
// sub-iterations it is asked for, or coupled_loop throws.
#pragma once
#include <string>
#include <vector>

namespace weir::test {

struct LoopPart {
  const char *paper, *ours;  // the paper's name for it, or nothing
  double seconds;
};

struct CoupledLoop {
  int steps = 0;
  int sub_iterations = 0;     // linear solves that were added to the flow, in all steps
  int linear_iterations = 0;  // of all solves
  double seconds = 0;         // of the whole loop
  std::vector<LoopPart> parts;

  double solver_seconds() const;  // of the parts named BILU
  std::string describe() const;   // "10 steps of 7 sub-iterations, each 4 linear iterations"
};

// Runs one step to warm up and then `steps` steps of a case in time, whose [pseudo_time] says tolerance = 0 and
// max_steps, the number of sub-iterations. Throws Error(solver_failed) where a step does fewer, Error(usage) where the
// case does not fix their number.
template <class Space>
CoupledLoop coupled_loop(const std::string& case_text, int steps);

}  // namespace weir::test
