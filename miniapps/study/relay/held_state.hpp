// The state that branches begin with, in memory: a checkpoint that was never a file, on every rank.
#pragma once
#include "postproc/run/checkpoint.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

// All ranks call. The values are those of rank 0, as in a file.
Checkpoint held(const Communicator& ranks, const CheckpointState& state);
std::int64_t bytes_of(const Checkpoint& state);  // on each rank

}  // namespace weir
