// A flow code as the branches of its run need it (relay.cpp): its state, and steps with the solvers that are in place.
// All ranks call; records go to Run::divert.
#pragma once
#include <functional>

#include "postproc/run/checkpoint.hpp"

namespace weir {

enum class BranchEnd {
  none,        // the step was taken, and others may follow
  reached,     // the end time, the steady state
  failed,      // as the run would have
  interrupted  // a solve was cancelled
};

struct FlowBranch {
  bool is_in_decades = false;                   // the unit of `level`
  std::function<CheckpointState()> state;       // as in a checkpoint
  std::function<void(const Checkpoint&)> load;  // keeps the solvers
  std::function<BranchEnd()> step;
  // Progress of the flow: physical time, or the decades by which the nonlinear residual has fallen.
  std::function<double()> level;
};

}  // namespace weir
