#include "tests/benchmarks/peers/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "postproc/own_file.hpp"
#include "tests/benchmarks/peers/aerofoil.hpp"
#include "tests/benchmarks/peers/cavity.hpp"
#include "tests/benchmarks/peers/rows.hpp"
#include "tests/benchmarks/peers/settings.hpp"

namespace weir::bench {
namespace {

// Measurements of a round, by candidate.
using Round = std::map<std::string, nlohmann::json>;

PeerRow::Side side_of(const std::vector<Round>& rounds, const std::string& candidate, const std::string& work,
                      double scale) {
  PeerRow::Side side;
  if (candidate.empty()) return side;
  for (const Round& round : rounds) side.times.push_back(scale * seconds_of(round.at(candidate), work));
  const nlohmann::json& m = rounds.back().at(candidate);
  side.solver = candidate;
  side.library = m.at("library");
  side.iterations = m.at("iterations");
  side.residual = m.at("residual");
  side.megabytes = m.at("bytes").get<double>() / 1e6;
  side.faults_first = m.at("faults_first");
  side.faults_later = m.at("faults_later");
  return side;
}

void add_rows(PeerRows& rows, const PeerCase& c, const std::vector<Round>& rounds, const PeerSettings& settings) {
  for (const std::string& ours : c.ours)
    for (const std::string& work : c.works) {
      const std::string peer = settings.best(c, work);
      PeerRow row;
      row.name = c.name;
      row.title = c.title;
      row.work = work;
      row.unit = c.unit;
      row.ours = side_of(rounds, ours, work, c.scale);
      row.peer = side_of(rounds, settings.best(c, work), work, c.scale);
      rows.add(row);
    }
}

void measure(PeerRows& rows, const PeerCase& c, PeerSettings& settings, const PeersOptions& o) {
  if (o.search || o.quick || !settings.knows(c)) settings.search(c, o.quick);
  settings.write(o.folder + "/peer_settings.json");
  std::vector<std::string> candidates = c.ours;
  for (const std::string& work : c.works)
    if (const std::string peer = settings.best(c, work);
        !peer.empty() && std::ranges::find(candidates, peer) == candidates.end())
      candidates.push_back(peer);
  std::vector<Round> rounds(static_cast<std::size_t>(o.quick ? 1 : o.rounds));
  for (Round& round : rounds) {
    for (const std::string& candidate : candidates) {
      round[candidate] = measure_in_process(c, candidate, o.quick);
      if (const nlohmann::json& m = round[candidate]; m.at("residual") > m.at("limit"))
        throw Error(Exit::solver_failed, fmt::format("{} on {}: residual {:.2e}, above its limit", candidate, c.name,
                                                     m.at("residual").get<double>()));
    }
    std::ranges::reverse(candidates);
  }
  add_rows(rows, c, rounds, settings);
}

bool is_wanted(const PeersOptions& o, const std::string& name) {
  return o.cases.empty() || std::ranges::find(o.cases, name) != o.cases.end();
}

std::vector<std::string> known_cases() {
  std::vector<std::string> names;
  for (const PeerCase& c : peer_cases(false)) names.push_back(c.name);
  for (const std::string& name : cavity_cases()) names.push_back(name);
  for (const std::string& name : aerofoil_cases()) names.push_back(name);
  return names;
}

}  // namespace

int bench_peers(const PeersOptions& o) {
  for (const std::string& name : o.cases)
    if (const auto known = known_cases(); std::ranges::find(known, name) == known.end())
      throw Error(Exit::usage, fmt::format("no case '{}'; there are {}", name, fmt::join(known, ", ")));
  std::filesystem::create_directories(o.folder);
  say_missing_peers();
  PeerRows rows(o.folder + "/peers", about_this(o.build));
  const std::string kept = o.folder + "/peer_settings.json";
  PeerSettings settings(std::filesystem::exists(kept) ? kept : own_file("docs/results/peer_settings.json"));
  for (const PeerCase& c : peer_cases(o.quick))
    if (is_wanted(o, c.name)) measure(rows, c, settings, o);
  for (const std::string& name : cavity_cases())
    if (is_wanted(o, name)) measure_cavity(rows, name, {o.quick, o.quick ? 1 : o.rounds});
  for (const std::string& name : aerofoil_cases())
    if (is_wanted(o, name) && !o.quick) measure_aerofoil(rows, name, o.rounds);
  return 0;
}

}  // namespace weir::bench
