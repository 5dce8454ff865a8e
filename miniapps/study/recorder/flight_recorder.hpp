// [recorder]: the last steps of a run in a ring; where the run ends badly, a verdict with its evidence and the key to
// change, at the end of the log and in flight_recorder.json with the steps themselves and a thinned history of the run.
// Over ranks a look costs a gather and a broadcast; after a failure rank 0 says what all have seen. An
// error that a rank alone ends with has no verdict: the others do not know of it.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "miniapps/study/facility.hpp"
#include "miniapps/study/recorder/flight_verdict.hpp"
#include "solvers/diagnosis/failed_solve.hpp"

namespace weir {

Options recorder_options();

template <class Space>
class FlightRecorder : public Facility<Space> {
 public:
  FlightRecorder(const Table& config, const Communicator& ranks);
  ~FlightRecorder() override;

  void attach(const StudiedSystem<Space>& system) override;
  void open(Run& run) override;
  void begin_step(std::int64_t step) override;
  void failed(Run& run, const Outcome& outcome) override;
  void finish(Run& run) override;

  // The verdict alone, which failed() writes. Over ranks all call, and rank 0's counts.
  Finding verdict(const Outcome& outcome, bool restarted);
  double seconds() const { return seconds_; }  // spent so far beside the flow

 private:
  using Facility<Space>::ranks_, Facility<Space>::facts_, Facility<Space>::run_;
  class Watch;
  FlightStep& now() { return ring_[static_cast<std::size_t>(begun_ - 1) % ring_.size()]; }
  void look(FlightStep& step);
  void look_at_cfl(FlightStep& step);
  void search(std::int64_t step);
  void bring_together_what_is_bad();
  double cfl() const { return ranks_.max(facts_.cfl()); }
  void note(int system, const SolveResult& result, int age, double setup_seconds);
  std::optional<Finding> examine_last_solve();
  void tell(Run& run, const Outcome& outcome, const Finding& finding);
  std::vector<FlightStep> steps() const;      // the oldest first
  std::vector<FlightMoment> moments() const;  // those before them, thinned, and them

  std::int64_t every_ = 1, begun_ = 0;
  std::vector<FlightStep> ring_;
  FlightHistory history_;
  FlightStep first_, cfl_from_;  // the first of this process; the one whose CFL number was computed last
  std::vector<std::unique_ptr<Watch>> watches_;
  Watch* last_ = nullptr;  // of the system that was solved last
  std::optional<BadValue> not_finite_, unphysical_;
  bool concluded_ = false;
  double seconds_ = 0;
};

}  // namespace weir
