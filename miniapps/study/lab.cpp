// The lab of a run (miniapps/driver/lab.hpp): calls its facilities, which are listed here.
#include "miniapps/driver/lab.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <type_traits>

#include "miniapps/study/facility.hpp"
#include "miniapps/study/recorder/flight_recorder.hpp"

namespace weir {

std::string read_system(const Table& table, const std::vector<std::string>& systems) {
  const auto system = table.get<std::string>("system", "");
  if (std::ranges::find(systems, system) != systems.end()) return system;
  std::string known;
  for (const auto& name : systems) known += (known.empty() ? "" : ", ") + name;
  table.fail("system", (system.empty() ? "'system' is missing" : "unknown system '" + system + "'") +
                           "; this run solves: " + known);
}

// In the order in which they watch a solve. The failure diagnostics come last: their verdict ends the log.
static constexpr const FacilityKind* facility_kinds[] = {&capture_facility, &shadow_facility,  &relay_facility,
                                                         &select_facility,  &observe_facility, &roofline_facility};

std::vector<KeyTable> lab_keys() {
  static const std::vector<std::string> candidates = [] {
    std::vector<std::string> paths;
    for (const FacilityKind* f : facility_kinds) paths.push_back(f->table + std::string(".NAME"));
    return paths;
  }();
  std::vector<KeyTable> keys;
  for (std::size_t i = 0; i < std::size(facility_kinds); ++i) {
    keys.push_back({facility_kinds[i]->table, "", facility_kinds[i]->keys()});
    if (facility_kinds[i]->has_candidates)
      keys.push_back({candidates[i], "and the keys of [linear.SYSTEM]", candidate_options()});
  }
  keys.push_back({"recorder", "", recorder_options()});
  return keys;
}

namespace {

template <class Space>
class FacilityLab final : public Lab<Space>, SolveWatch<Space> {  // notes errors of the reference solvers
 public:
  FacilityLab(const Table& config, const std::vector<std::string>& systems, const Communicator& ranks)
      : alone_(ranks.size() == 1) {
    const LabCase c{config, systems, ranks};
    for (const FacilityKind* f : facility_kinds)
      if constexpr (std::is_same_v<Space, Host>)
        facilities_.push_back(f->on_host(c));
      else
        facilities_.push_back(f->on_device(c));
    facilities_.push_back(std::make_unique<FlightRecorder<Space>>(config, ranks));
  }
  FacilityLab(const FacilityLab&) = delete;  // the reference solvers keep pointers to their watches
  FacilityLab& operator=(const FacilityLab&) = delete;
  // An exception that leaves the run counts as a failure; over ranks only if all ranks have it (refused by a reference
  // solver, or kept by Run::on_root). If one rank alone has it, nothing is written.
  ~FacilityLab() override {
    if (!run_ || std::uncaught_exceptions() <= exceptions_) return;
    const bool was_refused = refused_.exit != Exit::finished;
    if (!alone_ && !was_refused && !run_->all_ranks_end()) return;
    Outcome outcome = refused_;
    if (!was_refused) {
      outcome.exit = Exit::internal;
      outcome.reason = "an error ended the run";
    }
    for (auto& f : facilities_) {
      try {
        f->failed(*run_, outcome);
      } catch (...) {  // the first error is the one that is reported
      }
    }
  }

  void read(const std::vector<SystemDefaults>& systems) {  // only their options, as attach reads them
    for (auto& f : facilities_)
      for (const SystemDefaults& s : systems) f->read(s);
  }
  void describe(const FlowFacts<Space>& facts) override {
    for (auto& f : facilities_) f->describe(facts);
  }
  void attach(const SystemDefaults& system, StudiedSolver<Space>& solver, const Table& linear) override {
    const StudiedSystem<Space> studied{
        system.name,           parts_[system.name]++, &solver,       system.options(linear), system.method,
        system.preconditioner, system.tolerance,      system.matrix, system.is_symmetric};
    for (auto& f : facilities_) f->attach(studied);
    solver.watch(this);
  }
  void save(CheckpointState& state) const override {
    for (const auto& f : facilities_) f->save(state);
  }
  void resume(const Checkpoint& from) override {
    for (auto& f : facilities_) f->resume(from);
  }
  void open(Run& run) override {
    run_ = &run;
    exceptions_ = std::uncaught_exceptions();
    for (auto& f : facilities_) f->open(run);
  }
  void between_steps(std::int64_t next, const FlowBranch& flow) override {
    for (auto& f : facilities_) f->between_steps(next, flow);
  }
  void begin_step(std::int64_t step) override {
    if (run_) run_->begin_step(step);
    for (auto& f : facilities_) f->begin_step(step);
  }
  std::vector<RowField> fields(const std::string& system) override {
    std::vector<RowField> all;
    for (auto& f : facilities_)
      for (RowField& field : f->fields(system)) all.push_back(std::move(field));
    return all;
  }
  void end(Run& run, const Outcome& outcome) override {
    run_ = nullptr;
    for (auto& f : facilities_) outcome.exit == Exit::finished ? f->finish(run) : f->failed(run, outcome);
  }

 private:
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

}  // namespace

void read_lab(const Table& config, const std::vector<SystemDefaults>& systems) {
  std::vector<std::string> names;
  for (const SystemDefaults& s : systems) names.push_back(s.name);
  const Communicator alone;
  FacilityLab<Host>(config, names, alone).read(systems);
}

template <class Space>
std::unique_ptr<Lab<Space>> make_lab(const Table& config, const std::vector<std::string>& systems,
                                     const Communicator& ranks) {
  return std::make_unique<FacilityLab<Space>>(config, systems, ranks);
}
template std::unique_ptr<Lab<Host>> make_lab(const Table&, const std::vector<std::string>&, const Communicator&);
template std::unique_ptr<Lab<Device>> make_lab(const Table&, const std::vector<std::string>&, const Communicator&);

}  // namespace weir
