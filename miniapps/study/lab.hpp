// The lab: what watches the systems of a run. The one thing that a flow code calls; the facilities (facility.hpp) are
// listed in its constructor.
//
//   Lab<Space> lab(config, {"momentum", "pressure"});
//   lab.describe(facts);                                                                 // what the flow can tell
//   lab.attach(pressure_system, solver, linear);                                         // each system
//   lab.open(run);                                                                       // after run.begin
//   lab.between_steps(step, branch), lab.begin_step(step) ...
//   lab.finish(run), or lab.failed(run, outcome) before run.finish(outcome)
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/key_table.hpp"
#include "miniapps/study/facility.hpp"

namespace weir {

std::vector<KeyTable> lab_keys();

// Reads what a case says of the lab, as a run of these systems would; for `weir info`.
void read_lab(const Table& config, const std::vector<SystemDefaults>& systems);

template <class Space>
class Lab : private SolveWatch<Space> {  // hears what reference solvers refuse
 public:
  // systems: what the flow code solves. Every rank makes a lab and makes all its calls.
  Lab(const Table& config, const std::vector<std::string>& systems, const Communicator& ranks);
  Lab(const Lab&) = delete;  // the reference solvers know where their watches are
  Lab& operator=(const Lab&) = delete;
  // An exception that leaves the run is a bad end too; over ranks where all have met it: one that a reference solver
  // refused, or that the run had kept (Run::on_root). Where a rank is alone with it, the others wait elsewhere, and
  // nothing can be done.
  ~Lab();

  void read(const std::vector<SystemDefaults>& systems);  // their options alone, as attach would read them
  void describe(const FlowFacts<Space>& facts);
  // A solver of the flow code, which must outlive the lab's steps; linear: [linear]. A second one of the same name is the
  // second part (momentum in y).
  void attach(const SystemDefaults& system, LinearSolver<Space>& leader, const Table& linear);
  void save(CheckpointState& state) const;  // what a checkpoint is to hold of it
  void resume(const Checkpoint& from);      // before the flow code loads it
  void open(Run& run);
  void between_steps(std::int64_t next, const FlowBranch& flow);  // before the step `next`
  void begin_step(std::int64_t step);                             // before its first solve
  // Of the system's block rows, for the flow code's pictures; over ranks those of the whole, on rank 0, and all call.
  std::vector<RowField> fields(const std::string& system);
  void failed(Run& run, const Outcome& outcome);
  void finish(Run& run);
  // The one of the two that the outcome asks for.
  void end(Run& run, const Outcome& outcome) { outcome.exit == Exit::finished ? finish(run) : failed(run, outcome); }

 private:
  void refused(const Matrix<Space>&, Exit code, const std::string& words) override;

  std::vector<std::unique_ptr<Facility<Space>>> facilities_;
  std::map<std::string, int> parts_;  // attached so far
  bool alone_;                        // one rank
  Outcome refused_;                   // by a reference solver, on all ranks
  Run* run_ = nullptr;                // between open and the end
  int exceptions_ = 0;                // under way when the run began
};

}  // namespace weir
