// run.json
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/foreign/foreign_call.hpp"
#include "base/hash.hpp"
#include "base/print.hpp"
#include "postproc/run/machine.hpp"
#include "postproc/run/run.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {

namespace {

// Blanks at the end of the first run.json: space for the reason of a failure on a full disk.
constexpr std::size_t room_for_a_reason = 1024;

// Overwrites the allocated blocks of a file; blanks fill the rest.
void overwrite_in_place(const std::string& path, std::string text) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file < 0) return;
  struct stat status {};
  if (fstat(file, &status) == 0 && text.size() <= static_cast<std::size_t>(status.st_size)) {
    text.resize(static_cast<std::size_t>(status.st_size), ' ');
    if (pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size())) fsync(file);
  }
}

}  // namespace

void Run::write_summary(const Ending& ending, const Outcome& outcome) const {
  ForeignCall::leaves({});
  if (!writes()) return;
  std::string text = summary(ending, outcome);
  if (ending.status == "running") text.append(room_for_a_reason, ' ');
  try {
    write_text_aside(path("run.json"), text);
  } catch (const Error&) {  // a full disk or a moved directory: the file must not keep the status "running"
    const std::string folder = directory_ ? directory_->found() : "";
    if (ending.status != "running" && !folder.empty())
      overwrite_in_place(folder + "/run.json", nlohmann::ordered_json::parse(text).dump() + "\n");
    throw;
  }
}

// Done on every rank: if one ends within a foreign call, rank 0 is killed with it.
void Run::leave_last_words() const {
  constexpr int code = -1234567;
  const std::string reason = "REASON", number = std::to_string(code),
                    of = last_checkpoint_.empty()
                             ? "; the other entries describe the start of the run, because no checkpoint was written"
                             : "; the other entries describe " + last_checkpoint_;
  const std::string text = summary({code, "failed", reason + of}, {});
  const std::size_t at_code = text.find(number), at_reason = text.find(reason, at_code);
  ForeignCall::leaves({.path = path("run.json"),
                       .temporary = temporary_name(path("run.json")),
                       .before_code = text.substr(0, at_code),
                       .before_reason = text.substr(at_code + number.size(), at_reason - at_code - number.size()),
                       .after = text.substr(at_reason + reason.size())});
}

std::string Run::summary(const Ending& ending, const Outcome& outcome) const {
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
  j["changed"] = options_.changed.empty() ? Json::array() : Json(options_.changed);
  j["restarted_from"] = restart() ? Json(restart()->path) : Json();
  j["last_checkpoint"] = last_checkpoint_.empty() ? Json() : Json(last_checkpoint_);
  for (const auto& [name, text] : blocks_) j[name] = Json::parse(text);
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

// Exit code and reason of a run.json that records an end at this step: the end of the case or one of its limits. Any
// other end (a full disk) may not recur: a negative code, as for a file that cannot be read.
std::pair<int, std::string> recorded_end(const std::string& path, std::int64_t step) {
  std::ifstream file(path);
  const auto j = nlohmann::json::parse(file, nullptr, false);
  try {
    const int code = j.at("exit_code").is_null() ? -1 : j.at("exit_code").get<int>();
    const bool is_end =
        code == 0 || code == static_cast<int>(Exit::check_failed) || code == static_cast<int>(Exit::solver_failed);
    if (is_end && j.at("steps") == step) return {code, j.at("reason").get<std::string>()};
  } catch (const nlohmann::json::exception&) {
  }
  return {-1, ""};
}

}  // namespace

std::optional<int> Run::nothing_left() const {
  const Checkpoint* from = restart();
  if (!from || from->header.end.empty() || !continues_in_place()) return std::nullopt;
  auto [code, reason] = ranks().is_root() ? recorded_end(path("run.json"), last_.step) : std::pair(-1, std::string());
  ranks().broadcast(&code, sizeof code, 0);
  if (code < 0) return std::nullopt;
  config_.refuse_unknown();
  say("{}: the run has already finished after step {} ({}); nothing was changed\n", options_.directory, last_.step,
      reason);
  for (const std::string& change : options_.changed) say("  {} has no effect\n", change);
  say("  to continue: --set a later end, a larger max_steps or a smaller tolerance\n");
  return code;
}

bool Run::was_steady(double tolerance) const {
  return tolerance > 0 && restart() && restart()->header.end == "steady state" &&
         tolerance >= restart()->header.tolerance;
}

}  // namespace weir
