// The result of [select] at the end of a run: `select` in run.json, and a line of the log.
#pragma once
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

#include "postproc/run/machine.hpp"
#include "postproc/run/run.hpp"

namespace weir {

struct SelectSummary {
  std::string system, solver;  // solver: at the end
  int changes;
  std::int64_t races;
  int trials;
  double race_seconds, saved_seconds;

  void write(Run& run, bool has_races) const {
    const nlohmann::ordered_json j{{"system", system},
                                   {"leader", solver},
                                   {"changes", changes},
                                   {"races", races},
                                   {"trials", trials},
                                   {"race_seconds", race_seconds},
                                   {"saved_seconds", saved_seconds}};
    run.add_to_summary("select", j.dump());
    const std::string how = has_races
                                ? fmt::format("; {} races and {} trials took {}; the switches saved about {}", races,
                                              trials, duration_text(race_seconds), duration_text(saved_seconds))
                                : "";
    run.say_at_end(fmt::format("  [select] {}: solver at the end: {}; {} switches{}\n", system, solver, changes, how));
  }
};

}  // namespace weir
