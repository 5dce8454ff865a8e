#include "miniapps/study/lab.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <type_traits>

#include "miniapps/study/recorder/flight_recorder.hpp"

namespace weir {

std::string read_system(const Table& table, const std::vector<std::string>& systems) {
  const auto system = table.get<std::string>("system", "");
  if (std::find(systems.begin(), systems.end(), system) != systems.end()) return system;
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

void read_lab(const Table& config, const std::vector<SystemDefaults>& systems) {
  std::vector<std::string> names;
  for (const SystemDefaults& s : systems) names.push_back(s.name);
  const Communicator alone;
  Lab<Host>(config, names, alone).read(systems);
}

template <class Space>
Lab<Space>::Lab(const Table& config, const std::vector<std::string>& systems, const Communicator& ranks)
    : alone_(ranks.size() == 1) {
  const LabCase c{config, systems, ranks};
  for (const FacilityKind* f : facility_kinds)
    if constexpr (std::is_same_v<Space, Host>)
      facilities_.push_back(f->on_host(c));
    else
      facilities_.push_back(f->on_device(c));
  facilities_.push_back(std::make_unique<FlightRecorder<Space>>(config, ranks));
}

template <class Space>
Lab<Space>::~Lab() {
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

template <class Space>
void Lab<Space>::open(Run& run) {
  run_ = &run;
  exceptions_ = std::uncaught_exceptions();
  for (auto& f : facilities_) f->open(run);
}

template <class Space>
std::vector<RowField> Lab<Space>::fields(const std::string& system) {
  std::vector<RowField> all;
  for (auto& f : facilities_)
    for (RowField& field : f->fields(system)) all.push_back(std::move(field));
  return all;
}

template class Lab<Host>;
template class Lab<Device>;

}  // namespace weir
