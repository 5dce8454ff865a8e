// The lab: what watches the systems of a run. The one thing that a flow code calls; the facilities (facility.hpp) are
// listed in its constructor.
//
//   Lab<Space> lab(config, {"momentum", "pressure"});
//   lab.describe(facts);                                                                 // what the flow can tell
//   lab.attach("pressure", solver, linear.table("pressure"), "fast_poisson", "jacobi", 1e-8);  // each system
//   lab.open(run);                                                                       // after run.begin
//   lab.begin_step(step) ... lab.finish(run), or lab.failed(run, outcome) before run.finish(outcome)
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "miniapps/study/facility.hpp"

namespace weir {

template <class Space>
class Lab {
 public:
  // systems: what the flow code solves. Error(usage), with the key's place, where the case asks over several ranks for a
  // facility that knows the systems of one alone. Every rank makes a lab and makes all its calls.
  Lab(const Table& config, const std::vector<std::string>& systems, const Communicator& ranks);
  Lab(const Lab&) = delete;  // the leaders know where their watches are
  Lab& operator=(const Lab&) = delete;
  ~Lab();  // an exception that leaves the run is a bad end too; over ranks each may be the only one to meet it

  void describe(const FlowFacts<Space>& facts);
  // A solver of the flow code, with the table and the defaults it was made from; it must outlive the lab's steps. A
  // second one of the same name is the second part (momentum in y).
  void attach(const std::string& system, LinearSolver<Space>& leader, const Table& options,
              const std::string& default_method, const std::string& default_preconditioner, double default_tolerance);
  void open(Run& run);
  void begin_step(std::int64_t step);                       // before its first solve
  std::vector<RowField> fields(const std::string& system);  // of its block rows, for the flow code's pictures
  void failed(Run& run, const Outcome& outcome);
  void finish(Run& run);
  // The one of the two that the outcome asks for.
  void end(Run& run, const Outcome& outcome) { outcome.exit == Exit::finished ? finish(run) : failed(run, outcome); }

 private:
  std::vector<std::unique_ptr<Facility<Space>>> facilities_;
  std::map<std::string, int> parts_;  // attached so far
  bool alone_;                        // one rank
  Run* run_ = nullptr;                // between open and the end
  int exceptions_ = 0;                // under way when the run began
};

}  // namespace weir
