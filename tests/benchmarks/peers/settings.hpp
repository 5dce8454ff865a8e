// The peers' settings: what a search over PeerCase::peers found, kept in a JSON file with the libraries' versions and
// every time.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/benchmarks/peers/cases.hpp"

namespace weir::bench {

// peer_run for one candidate. Error(solver_failed) with what it says where it fails.
nlohmann::json measure_in_process(const PeerCase& c, const std::string& candidate, bool quick);

// A line for each peer that is missing here, with the package that brings it.
void say_missing_peers();

double median_of(std::vector<double> values);
// The median of a work's times in what measure_in_process returns.
double seconds_of(const nlohmann::json& measured, const std::string& work);

class PeerSettings {
 public:
  // `path` may be missing: nothing is known then.
  explicit PeerSettings(const std::string& path);

  // Whether the file has all of the case's candidates, from the libraries that run here.
  bool knows(const PeerCase& c) const;
  // Measures each candidate once, and those within 1.3 of a work's best once more; a candidate counts by its better
  // time. One whose residual is above the limit, or that fails, is noted and does not count.
  void search(const PeerCase& c, bool quick);
  // The fastest for a work; empty where no peer is there.
  std::string best(const PeerCase& c, const std::string& work) const;
  void write(const std::string& path) const;

 private:
  nlohmann::json all_ = nlohmann::json::object();
};

}  // namespace weir::bench
