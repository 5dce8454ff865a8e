// The interface of a flow code for branches of its run (relay.cpp): its state and a step with the solvers that are
// swapped in. All ranks call; records go where Run::divert says.
#pragma once
#include <functional>

#include "postproc/run/checkpoint.hpp"

namespace weir {

enum class BranchEnd {
  none,        // step completed, more may follow
  reached,     // end time or steady state
  failed,      // the step failed
  interrupted  // a solve was stopped
};

struct FlowBranch {
  bool is_in_decades = false;                   // unit of `level`
  std::function<CheckpointState()> state;       // as in a checkpoint
  std::function<void(const Checkpoint&)> load;  // with the solvers that are swapped in
  std::function<BranchEnd()> step;
  // Progress: physical time, or decades of reduction of the nonlinear residual, from an arbitrary origin.
  std::function<double()> level;
};

}  // namespace weir
