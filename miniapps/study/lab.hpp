// The lab: measures and compares the linear solvers of a run. It is the only class of miniapps/study that a flow code
// calls; the facilities (facility.hpp) are listed in lab.cpp.
//
//   Lab<Space> lab(config, {"momentum", "pressure"});
//   lab.describe(facts);                                                                 // data of the flow
//   lab.attach(pressure_system, solver, linear);                                         // each system
//   lab.open(run);                                                                       // after run.begin
//   lab.between_steps(step, branch), lab.begin_step(step) ...
//   lab.finish(run), or lab.failed(run, outcome) before run.finish(outcome)
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/key_table.hpp"
#include "miniapps/study/facility.hpp"

namespace weir {

std::vector<KeyTable> lab_keys();

// Reads the tables of the facilities as a run of these systems would; for `weir info`.
void read_lab(const Table& config, const std::vector<SystemDefaults>& systems);

template <class Space>
class Lab : private SolveWatch<Space> {  // notes errors of the reference solvers
 public:
  // systems: solved by the flow code. Every rank creates a lab and makes all calls.
  Lab(const Table& config, const std::vector<std::string>& systems, const Communicator& ranks);
  Lab(const Lab&) = delete;  // the reference solvers keep pointers to their watches
  Lab& operator=(const Lab&) = delete;
  // An exception that leaves the run counts as a failure; over ranks only if all ranks have it (refused by a reference
  // solver, or kept by Run::on_root). If one rank alone has it, nothing is written.
  ~Lab();

  void read(const std::vector<SystemDefaults>& systems) {  // only their options, as attach reads them
    for (auto& f : facilities_)
      for (const SystemDefaults& s : systems) f->read(s);
  }
  void describe(const FlowFacts<Space>& facts) { each(&Facility<Space>::describe, facts); }
  // A solver of the flow code, which must outlive the steps; linear: [linear]. The second solver of the same name is part 1
  // (momentum in y).
  void attach(const SystemDefaults& system, LinearSolver<Space>& solver, const Table& linear) {
    each(&Facility<Space>::attach, {system.name, parts_[system.name]++, &solver, system.options(linear), system.method,
                                    system.preconditioner, system.tolerance, system.matrix, system.is_symmetric});
    solver.watch(this);
  }
  void save(CheckpointState& state) const {  // into a checkpoint
    for (const auto& f : facilities_) f->save(state);
  }
  // Before the flow code loads the checkpoint.
  void resume(const Checkpoint& from) { each(&Facility<Space>::resume, from); }
  void open(Run& run);
  // Before the step `next`.
  void between_steps(std::int64_t next, const FlowBranch& flow) {
    for (auto& f : facilities_) f->between_steps(next, flow);
  }
  void begin_step(std::int64_t step) {  // before its first solve
    if (run_) run_->begin_step(step);
    for (auto& f : facilities_) f->begin_step(step);
  }
  // Per block row of the system, for the field output. Over ranks all call; rank 0 has the whole.
  std::vector<RowField> fields(const std::string& system);
  void failed(Run& run, const Outcome& outcome) {
    run_ = nullptr;
    for (auto& f : facilities_) f->failed(run, outcome);
  }
  void finish(Run& run) {
    run_ = nullptr;
    for (auto& f : facilities_) f->finish(run);
  }
  // finish or failed, according to the outcome.
  void end(Run& run, const Outcome& outcome) { outcome.exit == Exit::finished ? finish(run) : failed(run, outcome); }

 private:
  template <class Argument>
  void each(void (Facility<Space>::*call)(const Argument&), const std::type_identity_t<Argument>& argument) {
    for (auto& f : facilities_) ((*f).*call)(argument);
  }
  void refused(const Matrix<Space>&, Exit code, const std::string& words) override {
    refused_.exit = code;
    refused_.reason = words;
  }

  std::vector<std::unique_ptr<Facility<Space>>> facilities_;
  std::map<std::string, int> parts_;  // attached so far
  bool alone_;                        // one rank
  Outcome refused_;                   // error of a reference solver, on all ranks
  Run* run_ = nullptr;                // between open and the end
  int exceptions_ = 0;                // in flight when the run began
};

}  // namespace weir
