// The lab as the flow codes see it: it measures and compares the linear solvers of a run. miniapps/study implements it.
//
//   const auto lab = make_lab<Space>(config, {"momentum", "pressure"}, ranks);
//   lab->describe(facts);                                                                // data of the flow
//   lab->attach(pressure_system, solver, linear);                                        // each system
//   lab->open(run);                                                                      // after run.begin
//   lab->between_steps(step, branch), lab->begin_step(step) ...
//   lab->end(run, outcome);                                                              // before run.finish(outcome)
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/table.hpp"
#include "miniapps/driver/flow_branch.hpp"
#include "miniapps/driver/system_defaults.hpp"
#include "miniapps/driver/value_range.hpp"
#include "postproc/run/run.hpp"
#include "solvers/diagnosis/finding.hpp"
#include "solvers/studied_solver.hpp"

namespace weir {

// A variable of the state for the failure diagnostics. `range` is called every step, the others only after a failure.
struct WatchedVariable {
  std::string name;       // "u"
  bool positive = false;  // density, pressure: must be above zero
  std::function<ValueRange()> range;
  std::function<std::vector<double>()> values;           // per cell
  std::function<std::string(std::int64_t index)> place;  // location of values()[index]: "cell (3, 4, 0)"
};

// Current data of the flow, valid also inside a step. Empty functions: not available. Over ranks `cfl`, `range` and
// `values` cover the rank's own part; `place` gives locations in the whole domain.
template <class Space>
struct FlowFacts {
  std::function<double()> time, dt, cfl;
  std::function<double()> nonlinear_residual;  // norm, of the state from which the current system was assembled
  bool is_cfl_stored = false;                  // pseudo-time schemes store it; otherwise it costs a pass over the field
  // Whole domain, in the order of one rank. Over ranks all call `state`; rank 0 has the result.
  std::function<std::vector<std::pair<std::string, std::vector<double>>>()> state;  // as in a checkpoint
  // x, y, z of each block row's unknowns (3 numbers per block row); names of the unknowns of a block row.
  std::function<std::vector<double>(const std::string& system, int part)> places;
  std::function<std::vector<std::string>(const std::string& system, int part)> variables;
  std::string ordering;                                   // of the cells ([ordering] type)
  std::string whose_systems = "the reference's systems";  // systems of the shadow solves, in words
  // Over ranks: the global number of each block row of this rank, and the partition in words.
  std::function<std::vector<int>(const std::string& system, int part)> numbers;
  std::string partition;

  std::vector<WatchedVariable> watched;
  std::function<std::string(const std::string& system, int part, int row)>
      row_name;  // global row: "u of cell (3, 4, 0)"
  // Diagnosis by trial steps after max_steps was reached; all ranks call.
  std::function<std::optional<Finding>()> stalled;
  double courant_limit = 0;                // CFL limit of the explicit terms; 0: none
  std::string step_key = "time.dt";        // key of the step size
  std::string start_key = "flow.initial";  // key of the initial state
};

// Values per block row of a system, by name, for the field output.
using RowField = std::pair<std::string, std::vector<double>>;

template <class Space>
class Lab {
 public:
  virtual ~Lab() = default;
  virtual void describe(const FlowFacts<Space>& facts) = 0;
  // A solver of the flow code, which must outlive the steps; linear: [linear]. The second solver of the same name is
  // part 1 (momentum in y).
  virtual void attach(const SystemDefaults& system, StudiedSolver<Space>& solver, const Table& linear) = 0;
  virtual void save(CheckpointState& state) const = 0;                        // into a checkpoint
  virtual void resume(const Checkpoint& from) = 0;                            // before the flow loads it
  virtual void open(Run& run) = 0;                                            // after run.begin
  virtual void between_steps(std::int64_t next, const FlowBranch& flow) = 0;  // before the step `next`
  virtual void begin_step(std::int64_t step) = 0;                             // before its first solve
  // Over ranks all call; rank 0 has the whole.
  virtual std::vector<RowField> fields(const std::string& system) = 0;
  virtual void end(Run& run, const Outcome& outcome) = 0;
};

// systems: solved by the flow code. Every rank creates a lab and makes all calls.
template <class Space>
std::unique_ptr<Lab<Space>> make_lab(const Table& config, const std::vector<std::string>& systems,
                                     const Communicator& ranks);

// Reads the tables of the lab as a run of these systems would; for `weir info`.
void read_lab(const Table& config, const std::vector<SystemDefaults>& systems);

}  // namespace weir
