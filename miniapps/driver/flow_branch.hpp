// The functions of a flow code that branches of its run call (relay.cpp): saving and loading its state, and steps with
// the current solvers. All ranks call them. The records of a branch go to Run::divert.
#pragma once
#include <functional>

#include "postproc/run/checkpoint.hpp"

namespace weir {

enum class BranchEnd {
  none,        // the step was taken, and others may follow
  reached,     // the end time, the steady state
  failed,      // the run itself would fail likewise
  interrupted  // a solve was cancelled
};

struct FlowBranch {
  bool is_in_decades = false;                   // the unit of `level`
  std::function<CheckpointState()> state;       // the state that a checkpoint contains
  std::function<void(const Checkpoint&)> load;  // restores it, without the solvers
  std::function<BranchEnd()> step;
  // Progress of the flow: physical time, or the decades by which the nonlinear residual has fallen.
  std::function<double()> level;
};

}  // namespace weir
