// One facility of the lab (shadow solves, capture, ...): what it hears of a run. Each has one line in the constructor of Lab and
// overrides what it needs. To see each system it hangs a SolveWatch on the reference solver.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/table.hpp"
#include "miniapps/driver/value_range.hpp"
#include "miniapps/driver/flow_branch.hpp"
#include "miniapps/driver/system_defaults.hpp"
#include "postproc/run/run.hpp"
#include "solvers/device/array.hpp"
#include "solvers/diagnosis/finding.hpp"
#include "solvers/linear_solver.hpp"

namespace weir {

// A system of the flow code and the solver that leads it.
template <class Space>
struct StudiedSystem {
  std::string name;  // of [linear.NAME]
  int part = 0;      // momentum in x, y, z share a name: 0, 1, 2
  LinearSolver<Space>* leader = nullptr;
  Table options;  // [linear.NAME], and what holds where it says nothing:
  std::string default_method, default_preconditioner;
  double default_tolerance = 1e-8;
  unsigned matrix = 0;  // its kind, of registry.hpp; 0: not known
  bool is_symmetric = false;
};

// A variable of the state that the failure diagnostics follow: range costs a pass each step, the others are asked after a
// failure only.
struct WatchedVariable {
  std::string name;       // "u"
  bool positive = false;  // a density, a pressure: zero is as bad as no number
  std::function<ValueRange()> range;
  std::function<std::vector<double>()> values;           // of the cells
  std::function<std::string(std::int64_t index)> place;  // of values()[index]: "cell (3, 4, 0)"
};

// What the flow code can tell of itself, at the moment of asking: also inside a step, when a system is solved. An empty
// function: it cannot. Over ranks this is what a rank knows of its own part (`cfl`, `range`, `values`), and where that
// lies in the whole (`place`).
template <class Space>
struct FlowFacts {
  std::function<double()> time, dt, cfl;
  bool is_cfl_stored = false;  // of pseudo-time, which changes between solves; else it costs a pass over the field
  // What follows is of the whole, in one rank's order; over ranks all call `state`, and rank 0 alone has answers.
  std::function<std::vector<std::pair<std::string, std::vector<double>>>()> state;  // as in a checkpoint
  // x, y, z of where each block row's unknowns sit (3 a block row), and the names of the unknowns of a block row.
  std::function<std::vector<double>(const std::string& system, int part)> places;
  std::function<std::vector<std::string>(const std::string& system, int part)> variables;
  std::string ordering;                                   // of the cells, as [ordering] type
  std::string whose_systems = "the reference's systems";  // that shadow solves are compared on
  // Over ranks: of each block row of this rank its number in the whole, and how that is divided, for people.
  std::function<std::vector<int>(const std::string& system, int part)> numbers;
  std::string partition;

  std::vector<WatchedVariable> watched;
  std::function<std::string(const std::string& system, int part, int row)>
      row_name;  // of the whole: "u of cell (3, 4, 0)"
  // What the flow code finds out by trial where its steps ran out; all ranks call.
  std::function<std::optional<Finding>()> stalled;
  double courant_limit = 0;                // of explicit parts of the scheme; 0: it has none
  std::string step_key = "time.dt";        // what sets the step
  std::string start_key = "flow.initial";  // what sets the first state
};

// The key `system` of a table, which must be one of those that the run solves.
std::string read_system(const Table& table, const std::vector<std::string>& systems);

// Values of the block rows of a system, by name, for pictures.
using RowField = std::pair<std::string, std::vector<double>>;

// What a facility is made from.
struct LabCase {
  const Table& config;
  const std::vector<std::string>& systems;  // that the flow code solves
  const Communicator& ranks;
};

template <class Space>
class Facility {
 public:
  explicit Facility(const Communicator& ranks) : ranks_(ranks) {}
  virtual ~Facility() = default;
  virtual void read(const SystemDefaults&) {}                              // options that attach reads, for `weir info`
  void describe(const FlowFacts<Space>& facts) { facts_ = facts; }         // before attach
  virtual void attach(const StudiedSystem<Space>&) {}                      // each system; before open
  virtual void open(Run& run) { run_ = &run; }                             // after run.begin
  virtual void between_steps(std::int64_t, const FlowBranch&) {}           // before begin_step of the next one
  virtual void begin_step(std::int64_t step) { step_ = step; }             // before the step's first solve
  virtual void save(CheckpointState&) const {}                             // what a checkpoint holds for it
  virtual void resume(const Checkpoint&) {}                                // before the flow code loads it
  virtual std::vector<RowField> fields(const std::string&) { return {}; }  // of a system, as last seen
  virtual void finish(Run&) {}                                             // the run has come to its end
  // The run ends badly; what was measured until then is of use.
  virtual void failed(Run& run, const Outcome&) { finish(run); }

 protected:
  const Communicator& ranks_;
  FlowFacts<Space> facts_;
  Run* run_ = nullptr;  // from open on
  std::int64_t step_ = 0;
};

// The facilities, each in its source of that name, and the keys of its table.
template <class Space>
std::unique_ptr<Facility<Space>> make_capture(const LabCase& c);
template <class Space>
std::unique_ptr<Facility<Space>> make_shadow_study(const LabCase& c);
template <class Space>
std::unique_ptr<Facility<Space>> make_relay(const LabCase& c);
template <class Space>
std::unique_ptr<Facility<Space>> make_select(const LabCase& c);
template <class Space>
std::unique_ptr<Facility<Space>> make_observatory(const LabCase& c);
template <class Space>
std::unique_ptr<Facility<Space>> make_roofline(const LabCase& c);
Options capture_options(), observe_options(), roofline_options();
Options select_options();     // of [select]
Options shadow_options();     // of [shadow]
Options relay_options();      // of [relay]
Options candidate_options();  // of [shadow.NAME] and [relay.NAME], beside those of [linear.SYSTEM]

}  // namespace weir
