// Errors of a step on a branch that end the branch, and those that end the run.
#include "miniapps/study/relay/branches.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <new>

#include "inputs/case.hpp"

namespace weir::branches_test {
namespace {

BranchRun run_with(const std::function<void()>& step) {
  const Communicator alone;
  Run run({}, read_case_text("[case]\nminiapp = \"none\"\n", "led.toml"));
  Branches<Host> branches(alone);
  branches.add({"one", "flow", 0, nullptr});
  branches.open(run);
  FlowBranch flow;
  flow.state = [] { return CheckpointState(); };
  flow.load = [](const Checkpoint&) {};
  flow.level = [] { return 0.0; };
  flow.step = [&] {
    step();
    return BranchEnd::none;
  };
  branches.hold(flow);
  return branches.run(0, 2, flow);
}

TEST(Branches, TellWhatASolverBringsAbout) {
  EXPECT_EQ(run_with([] {}).end, BranchRunEnd::steps);
  for (const Exit code : {Exit::usage, Exit::solver_failed, Exit::not_finite, Exit::out_of_memory}) {
    const BranchRun run = run_with([code] { throw Error(code, "a pivot is zero"); });
    EXPECT_EQ(run.end, BranchRunEnd::failed) << static_cast<int>(code);
    EXPECT_EQ(run.why, "a pivot is zero");
  }
  EXPECT_EQ(run_with([] { throw std::bad_alloc(); }).end, BranchRunEnd::failed);
  EXPECT_EQ(run_with([] { throw AgreedError(Exit::solver_failed, "on rank 1"); }).why, "on rank 1");
}

TEST(Branches, LeaveTheRunToEndByWhatNoSolverBringsAbout) {
  for (const Exit code : {Exit::internal, Exit::file_io, Exit::no_device}) {
    EXPECT_THROW(run_with([code] { throw Error(code, "the disk is full"); }), Error) << static_cast<int>(code);
    EXPECT_THROW(run_with([code] { throw AgreedError(code, "on rank 1"); }), Error) << static_cast<int>(code);
  }
  EXPECT_THROW(run_with([] { throw std::logic_error("a fault of the program"); }), std::logic_error);
}

}  // namespace
}  // namespace weir::branches_test
