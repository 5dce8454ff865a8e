// run.json
#include <algorithm>
#include <nlohmann/json.hpp>

#include "postproc/run/hash.hpp"
#include "postproc/run/machine.hpp"
#include "postproc/run/run.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {

void Run::write_summary(const Ending& ending, const Outcome& outcome) const {
  if (!writes()) return;
  using Json = nlohmann::ordered_json;
  Json j;
  j["schema"] = 1;
  j["status"] = ending.status;
  j["exit_code"] = ending.status == "running" ? Json() : Json(ending.code);
  j["reason"] = ending.reason;
  j["case"] = options_.name;
  j["miniapp"] = header_.miniapp;
  j["cells"] = header_.cells;
  j["unknowns"] = header_.unknowns;
  j["steps"] = last_.step;
  j["time"] = last_.time;
  j["wall_seconds"] = wall();
  j["space"] = on_device_ ? "device" : "host";
  j["device_name"] = on_device_ ? device_text() : processor_name();
  j["threads"] = threads_;
  j["ranks"] = ranks().size();
  j["version"] = weir_version();
  const Build& build = options_.build;
  j["build"] = {{"commit", build.commit}, {"compiler", build.compiler}, {"flags", build.flags}};
  j["build"]["libraries"] = build.libraries.empty() ? Json::object() : Json(build.libraries);
  j["command_line"] = options_.command_line;
  j["date"] = date_;
  j["host"] = host_name();
  j["processor"] = processor_name();
  Hash64 config_hash;
  config_hash.add(config_text_);
  j["config_hash"] = hex(config_hash.value());
  j["state_hash"] = outcome.state_hash ? Json(hex(outcome.state_hash)) : Json();
  j["quantities"] = outcome.quantities.empty() ? Json::object() : Json(outcome.quantities);
  j["timings"] = timings_.all().empty() ? Json::object() : Json(timings_.all());
  j["memory"] = {{"estimate", header_.memory_estimate}, {"peak", peak_memory()}};
  const double loop = loop_seconds();
  const auto cell_steps = static_cast<double>(header_.cells) * static_cast<double>(last_.step - first_step_);
  j["fom"] = Json::object();
  if (const double flow = flow_seconds(); cell_steps > 0 && flow > 0)
    j["fom"]["cell_steps_per_second"] = cell_steps / flow;
  j["timings"]["other"]["unaccounted"] = std::max(0.0, loop - timings_.total());
  j["loop_seconds"] = loop;
  j["seed"] = seed_;
  j["deterministic"] = deterministic_;
  j["restarted_from"] = restart() ? Json(restart()->path) : Json();
  j["last_checkpoint"] = last_checkpoint_.empty() ? Json() : Json(last_checkpoint_);
  write_text_aside(path("run.json"), j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace weir
