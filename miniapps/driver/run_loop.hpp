// The time loop of all flow codes. A Scheme has
//
//   std::int64_t step_number()                steps taken so far
//   void choose_step()                        decides the size of the next step, where it has one
//   StepResult take_step()                       takes it and records it
//   std::string end()                         why the run ends after this step; empty: it continues
//   bool output_due(), void write_output()    field output
//   CheckpointState state()                   what a restart needs
//   FlowBranch branch()                       the same steps without records, for branches
//   StepResult check_stopped()                   of a run that was stopped before its end
//   Outcome conclude(StepResult)                 results, or the reason of the failure
#pragma once
#include <cstdint>
#include <string>

#include "miniapps/driver/flow_branch.hpp"
#include "miniapps/driver/lab.hpp"
#include "postproc/run/run.hpp"

namespace weir {

enum class StepResult { advanced, failed, interrupted };  // interrupted: a solve was cancelled

// begin: result of the computation of the first state. Returns the exit code of the process. All ranks call.
template <class Scheme, class Space>
int run_steps(Run& run, Scheme& scheme, Lab<Space>& lab, StepResult begin = StepResult::advanced) {
  const auto state = [&] {
    CheckpointState whole = scheme.state();
    lab.save(whole);
    return whole;
  };
  const FlowBranch branch = scheme.branch();
  StepResult end = begin;
  while (end == StepResult::advanced && run.end_reached().empty() && !run.should_stop()) {
    run.keep_if_due(state);
    lab.between_steps(scheme.step_number() + 1, branch);
    scheme.choose_step();
    lab.begin_step(scheme.step_number() + 1);
    end = scheme.take_step();
    if (end != StepResult::advanced) break;
    run.reached(scheme.end());
    if (run.end_reached().empty() && scheme.output_due()) scheme.write_output();
    if (run.checkpoint_due()) run.checkpoint(state());
  }
  if (end == StepResult::advanced && run.checkpoint_due()) run.checkpoint(state());  // stopped before the first step
  if (end == StepResult::advanced && run.end_reached().empty()) end = scheme.check_stopped();
  if (end == StepResult::interrupted) {
    run.abandon_step();
    lab.end(run, {});
    return run.finish({});  // the present values are not a state of the flow
  }
  const Outcome outcome = scheme.conclude(end);
  lab.end(run, outcome);
  return run.finish(outcome);
}

}  // namespace weir
