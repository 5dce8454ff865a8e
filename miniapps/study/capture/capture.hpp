// [capture]: systems of a run kept as capsules (capsule.hpp), for `weir replay`, `weir solve`, `weir doctor`.
//   system = "" (every system), when = "steps:100,200 | iterations>50 | ..." (capture_rules.hpp; empty: on failure
//   alone), on_failure = true (a run that ends badly leaves the system it ended with, also where nothing else is said),
//   most = 20, most_mb = 2000 (capsules of a run, and what they take on disk; that of a failure comes on top),
//   state = false (the flow state itself beside its hash)
// They lie in capsules/ of the run directory. Capturing reads the run and changes no bit of it. Over ranks a capsule is
// that of one rank, put together on rank 0; all decide alike, and what they cannot know alike (times, bytes on disk)
// rank 0 tells or the slowest rank. An error that a rank alone ends with leaves none.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "miniapps/study/capture/capsule.hpp"
#include "miniapps/study/capture/capture_rules.hpp"
#include "miniapps/study/facility.hpp"

namespace weir {

Options capture_options();

template <class Space>
class Capture : public Facility<Space> {
 public:
  Capture(const Table& config, const std::vector<std::string>& systems, const Communicator& ranks);
  ~Capture() override;

  void describe(const FlowFacts<Space>& facts) override { facts_ = facts; }
  void attach(const StudiedSystem<Space>& system) override;
  void open(Run& run) override { run_ = &run; }
  void begin_step(std::int64_t step) override;
  void failed(Run& run, const Outcome& outcome) override;

 private:
  class
      Watch;  // keeps the initial guess of the solve under way; one buffer serves all systems, which are solved in turn
  void prepared(int system, const Matrix<Space>& A);
  void solved(int system, const Matrix<Space>& A, View<const double> b, const SolveResult& result);

  struct Watched {
    StudiedSystem<Space> system;
    std::unique_ptr<Watch> watch;
    const Matrix<Space>* prepared_from = nullptr;
    std::int64_t age = 0;          // solves since then
    std::vector<double> lifetime;  // of a reference solver that may keep old preconditioners: its policy's state, ...
    NamedNumbers made_from;        // ... and the values that the present one was made from
    std::int64_t solve = 0;        // of the step
    bool is_wanted = false;        // by [capture] system
  };
  struct Solve {  // the last one of the run
    int system = -1;
    const Matrix<Space>* A = nullptr;
    View<const double> b, x0;
    SolveResult result;
    std::int64_t index = 0;
    double cfl = 0;  // with which it was made; where asking then costs nothing
    bool is_captured = false;
  };

  void capture(const Solve& solve, const std::string& trigger, bool is_failure);
  void try_to_capture(const Solve& solve, const std::string& trigger, bool is_failure);
  Capsule capsule_of(const Solve& solve, const std::string& trigger) const;
  void add_system(const Solve& solve, Capsule& capsule) const;
  void write(Capsule& capsule, bool is_failure, const Solve& solve);
  void tell_origin(const Solve& solve, Capsule& capsule) const;
  void tell_leader(const Solve& solve, Capsule& capsule) const;

  const Communicator& ranks_;
  Table config_, options_;
  CaptureRules rules_;
  std::string system_;
  bool on_failure_ = true, keeps_state_ = false, told_of_limit_ = false;
  std::int64_t most_ = 20, most_bytes_ = 0, written_ = 0, bytes_ = 0, step_ = 0;
  FlowFacts<Space> facts_;
  Run* run_ = nullptr;
  std::vector<Watched> watched_;
  Array<double, Space> x0_;
  Solve last_;
};

}  // namespace weir
