// What a run of the compressible miniapp writes down: its solves, its steps, checkpoints. Over ranks all ranks call.
#pragma once
#include "miniapps/compressible/flow.hpp"
#include "postproc/run/run.hpp"

namespace weir {

// What stands for time in a steady run: its steps.
template <class Space>
double picture_time(const CompressibleFlow<Space>& flow);

template <class Space>
void record_solve(Run& run, CompressibleFlow<Space>& flow, const Attempt& attempt);
template <class Space>
void record_step(Run& run, CompressibleFlow<Space>& flow, const Attempt& attempt);

// A checkpoint is that of one rank, whatever the number of them.
template <class Space>
void save_flow(Run& run, CompressibleFlow<Space>& flow);
template <class Space>
void load_flow(const Checkpoint& from, CompressibleFlow<Space>& flow);

}  // namespace weir
