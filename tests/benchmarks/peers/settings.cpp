#include "tests/benchmarks/peers/settings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/error.hpp"
#include "base/foreign/optional_library.hpp"
#include "postproc/report/child.hpp"
#include "tests/benchmarks/peers/programs.hpp"

namespace weir::bench {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::filesystem::path programs() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

bool is_there(const std::string& candidate) {
  return std::filesystem::exists(programs() / ("weir_peers_" + candidate.substr(0, candidate.find(':')) + ".so"));
}

}  // namespace

nlohmann::json measure_in_process(const PeerCase& c, const std::string& candidate, bool quick) {
  std::vector<std::string> command{(programs() / "peer_run").string(), c.name, candidate, std::to_string(c.repeats)};
  if (quick) command.push_back("--quick");
  const std::string log = (std::filesystem::temp_directory_path() / fmt::format("peer_run_{}.txt", getpid())).string();
  ChildSignals signals;
  const Child child = signals.run(command, log);
  const std::string said = contents(log);
  std::filesystem::remove(log);
  if (signals.caught()) throw std::runtime_error("stopped by a signal");
  const auto begin = said.rfind("{\"bytes\"");
  if (child.exit_code != 0 || begin == std::string::npos)
    throw Error(Exit::solver_failed,
                fmt::format("{} on {}: exit code {}: {}", candidate, c.name, child.exit_code, said));
  return nlohmann::json::parse(said.substr(begin, said.find('\n', begin) - begin));
}

void say_missing_peers() {
  for (const char* library : {"hypre", "petsc"})
    if (!is_there(library)) fmt::print("{}: its solvers are not measured\n", lacks(library));
  if (!is_on_path("icoFoam"))
    fmt::print("OpenFOAM is not on the path (Debian package openfoam): its flows are not measured\n");
}

namespace {

// "hypre 2.26.0", of a small measurement.
std::string version_of(const std::string& library) {
  static std::map<std::string, std::string> known;
  std::string& version = known[library];
  if (!version.empty()) return version;
  for (const PeerCase& c : peer_cases(true))
    for (const std::string& candidate : c.peers)
      if (version.empty() && c.name == "cg_iteration" && candidate.starts_with(library + ":"))
        version = measure_in_process(c, candidate, true).at("library");
  return version;
}

}  // namespace

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return n == 0 ? 0 : 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

double seconds_of(const nlohmann::json& measured, const std::string& work) {
  return median_of(measured.at("seconds").at(work).get<std::vector<double>>());
}

PeerSettings::PeerSettings(const std::string& path) {
  if (std::filesystem::exists(path)) all_ = nlohmann::json::parse(contents(path));
}

bool PeerSettings::knows(const PeerCase& c) const {
  if (!all_.contains(c.name)) return false;
  for (const std::string& candidate : c.peers) {
    if (!is_there(candidate)) continue;
    if (!all_[c.name].contains(candidate)) return false;
    const nlohmann::json& m = all_[c.name][candidate];
    if (m.contains("library") && m["library"] != version_of(candidate.substr(0, candidate.find(':')))) return false;
  }
  return true;
}

void PeerSettings::search(const PeerCase& c, bool quick) {
  nlohmann::json found = nlohmann::json::object();
  PeerCase brief = c;
  brief.repeats = 1;
  const auto once = [&](const std::string& candidate) {
    try {
      const nlohmann::json m = measure_in_process(brief, candidate, quick);
      nlohmann::json& to = found[candidate];
      const bool again = to.contains("seconds");
      to["library"] = m.at("library");
      to["iterations"] = m.at("iterations");
      to["residual"] = m.at("residual");
      to["counts"] = m.at("residual") <= m.at("limit");
      for (const std::string& work : c.works) {
        const double s = seconds_of(m, work);
        to["seconds"][work] = again ? std::min(s, to["seconds"][work].get<double>()) : s;
      }
      fmt::print("  {}: {}, {} iterations, residual {:.1e}{}\n", candidate, to["seconds"].dump(),
                 to["iterations"].dump(), m.at("residual").get<double>(), to["counts"] ? "" : " (does not count)");
    } catch (const Error&) {
      found[candidate] = {{"fails", true}, {"counts", false}};
      fmt::print("  {}: fails\n", candidate);
    }
    std::fflush(stdout);
  };
  fmt::print("search: {}\n", c.title);
  for (const std::string& candidate : c.peers)
    if (is_there(candidate)) once(candidate);
  all_[c.name] = found;
  std::vector<std::string> close;
  for (const std::string& work : c.works)
    if (const std::string first = best(c, work); !first.empty())
      for (const auto& [candidate, m] : found.items())
        if (m["counts"] && m["seconds"][work] < 1.3 * found[first]["seconds"][work].get<double>() &&
            std::ranges::find(close, candidate) == close.end())
          close.push_back(candidate);
  for (const std::string& candidate : close) once(candidate);
  all_[c.name] = found;
}

std::string PeerSettings::best(const PeerCase& c, const std::string& work) const {
  std::string best;
  double least = 0;
  if (!all_.contains(c.name)) return best;
  for (const auto& [candidate, m] : all_[c.name].items()) {
    if (!m["counts"] || !is_there(candidate)) continue;
    const double s = m["seconds"][work];
    if (best.empty() || s < least) {
      best = candidate;
      least = s;
    }
  }
  return best;
}

void PeerSettings::write(const std::string& path) const {
  std::ofstream file(path);
  file << all_.dump(1) << '\n';
  if (!file.flush()) throw Error(Exit::usage, path + ": cannot be written");
}

}  // namespace weir::bench
