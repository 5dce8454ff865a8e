// A facility of the lab (shadow solves, capture, ...): overrides the calls that it needs. To see each system it adds a
// SolveWatch to the reference solver.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/key_table.hpp"
#include "base/table.hpp"
#include "miniapps/driver/lab.hpp"
#include "postproc/run/run.hpp"
#include "solvers/studied_solver.hpp"

namespace weir {

// A system of the flow code and its solver, the reference solver.
template <class Space>
struct StudiedSystem {
  std::string name;  // of [linear.NAME]
  int part = 0;      // momentum in x, y, z share a name: 0, 1, 2
  StudiedSolver<Space>* reference = nullptr;
  Table options;  // [linear.NAME]; the defaults follow
  std::string default_method, default_preconditioner;
  double default_tolerance = 1e-8;
  unsigned matrix = 0;  // kind of matrix (registry.hpp); 0: unknown
  bool is_symmetric = false;
};

// The key `system` of a table; Error(usage) if the run does not solve it.
std::string read_system(const Table& table, const std::vector<std::string>& systems);

// Constructor arguments of a facility.
struct LabCase {
  const Table& config;
  const std::vector<std::string>& systems;  // solved by the flow code
  const Communicator& ranks;
};

template <class Space>
class Facility {
 public:
  explicit Facility(const Communicator& ranks) : ranks_(ranks) {}
  virtual ~Facility() = default;
  virtual void read(const SystemDefaults&) {}                       // the options that attach reads, for `weir info`
  void describe(const FlowFacts<Space>& facts) { facts_ = facts; }  // before attach
  virtual void attach(const StudiedSystem<Space>&) {}               // once per system, before open
  virtual void open(Run& run) { run_ = &run; }                      // after run.begin
  virtual void between_steps(std::int64_t, const FlowBranch&) {}    // before begin_step of the next one
  virtual void begin_step(std::int64_t step) { step_ = step; }      // before the step's first solve
  virtual void save(CheckpointState&) const {}                      // into a checkpoint
  virtual void resume(const Checkpoint&) {}                         // before the flow code loads the checkpoint
  virtual std::vector<RowField> fields(const std::string&) { return {}; }  // of a system, from its last observed solve
  virtual void finish(Run&) {}                                             // at the end of the run
  // The run failed; what was measured until then is reported.
  virtual void failed(Run& run, const Outcome&) { finish(run); }

 protected:
  const Communicator& ranks_;
  FlowFacts<Space> facts_;
  Run* run_ = nullptr;  // from open on
  std::int64_t step_ = 0;
};

// One line per facility, in its source: the table of its keys and how it is made in either space.
struct FacilityKind {
  const char* table;
  Options (*keys)();
  bool has_candidates;  // [TABLE.NAME] are solvers
  std::unique_ptr<Facility<Host>> (*on_host)(const LabCase&);
  std::unique_ptr<Facility<Device>> (*on_device)(const LabCase&);
};
template <template <class> class F>
constexpr FacilityKind facility_kind(const char* table, Options (*keys)(), bool has_candidates = false) {
  return {table, keys, has_candidates,
          [](const LabCase& c) -> std::unique_ptr<Facility<Host>> { return std::make_unique<F<Host>>(c); },
          [](const LabCase& c) -> std::unique_ptr<Facility<Device>> { return std::make_unique<F<Device>>(c); }};
}
extern const FacilityKind capture_facility, shadow_facility, relay_facility, select_facility, observe_facility,
    roofline_facility;

std::vector<KeyTable> lab_keys();  // of all facilities
Options shadow_options();          // of [shadow]
Options candidate_options();  // of [shadow.NAME], [relay.NAME], [select.NAME], in addition to those of [linear.SYSTEM]
bool is_reference(const Table& candidate);  // like_reference = true

}  // namespace weir
