// [recorder]: keeps the last steps of a run in a ring buffer. If the run fails, a verdict with its evidence and the key
// to change goes to the end of the log and to flight_recorder.json, with these steps and a thinned history of the whole
// run. Over ranks a record costs a gather and a broadcast; after a failure rank 0 writes. An error on one rank alone
// has no verdict.
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

  // The verdict that failed() writes. Over ranks all call; rank 0 has the result.
  Finding verdict(const Outcome& outcome, bool restarted);
  double seconds() const { return seconds_; }  // spent by the recorder so far

 private:
  using Facility<Space>::ranks_, Facility<Space>::facts_, Facility<Space>::run_;
  class Watch;
  FlightStep& now() { return ring_[static_cast<std::size_t>(begun_ - 1) % ring_.size()]; }
  void look(FlightStep& step);
  void look_at_cfl(FlightStep& step);
  void search(std::int64_t step);
  void gather_bad_values();
  double cfl() const { return ranks_.max(facts_.cfl()); }
  void note(int system, const SolveResult& result, int age, double setup_seconds);
  std::optional<Finding> examine_last_solve();
  void tell(Run& run, const Outcome& outcome, const Finding& finding);
  std::vector<FlightStep> steps() const;      // oldest first
  std::vector<FlightMoment> moments() const;  // the thinned history and the last steps

  std::int64_t every_ = 1, begun_ = 0;
  std::vector<FlightStep> ring_;
  FlightHistory history_;
  FlightStep first_, cfl_from_;  // first step of this process; step of the last computed CFL number
  std::vector<std::unique_ptr<Watch>> watches_;
  Watch* last_ = nullptr;  // of the last solved system
  std::optional<BadValue> not_finite_, unphysical_;
  bool concluded_ = false;
  double seconds_ = 0;
};

}  // namespace weir
