// What a flow code gives for branches of its run (relay.cpp): its state, and steps that any solvers may lead. All ranks
// call, and what is recorded meanwhile goes where Run::divert says.
#pragma once
#include <functional>

#include "postproc/run/checkpoint.hpp"

namespace weir {

enum class BranchEnd {
  none,        // the step was taken, and others may follow
  reached,     // the end time, the steady state
  failed,      // as the run would have
  interrupted  // a solve was asked to stop
};

struct FlowBranch {
  bool is_in_decades = false;                   // what `level` counts
  std::function<CheckpointState()> state;       // as in a checkpoint
  std::function<void(const Checkpoint&)> load;  // with the solvers that are in place
  std::function<BranchEnd()> step;
  // How far the flow has come: physical time, or the decades by which the nonlinear residual has fallen, from any start.
  std::function<double()> level;
};

}  // namespace weir
