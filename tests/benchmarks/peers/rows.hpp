// Rows of Weir's times compared with a peer's, round for round, and the three files that they are written to.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace weir::bench {

struct PeerRow {
  struct Side {
    std::string solver, library;  // empty of a peer that is not there
    std::vector<double> times;    // of the rounds, in the unit
    int iterations = 0;
    double residual = 0, megabytes = 0;
    std::int64_t faults_first = 0, faults_later = 0;
  };
  std::string name, title, work, unit;
  Side ours, peer;
};

// STEM.json has everything, STEM.csv a row a line, STEM.md is the page; ratio: the peer's time over ours, of each
// round. Rows that STEM.json has of other cases stay, so that cases can be measured one by one.
class PeerRows {
 public:
  // `about`: about_this. The load is noted with each row: programs that want the machine, of the last minute.
  PeerRows(const std::string& stem, const nlohmann::json& about);
  void add(const PeerRow& row);  // prints it and writes the files; Error(usage) where they cannot be written

 private:
  std::string stem_;
  nlohmann::json about_, rows_ = nlohmann::json::array();
};

}  // namespace weir::bench
