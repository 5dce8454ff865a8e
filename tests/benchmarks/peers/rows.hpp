// Rows of Weir's times beside a peer's, round for round, and the three files that they are written to.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace weir::bench {

struct PeerRow {
  struct Side {
    int iterations = 0;
    double residual = 0, megabytes = 0;
    std::int64_t faults_first = 0, faults_later = 0;
  };
  std::string name, title, work, unit, ours, peer, peer_library;
  std::vector<double> our_times, peer_times;  // of the rounds, in the unit; none of a peer that is not there
  Side our_side, peer_side;
};

class PeerRows {
 public:
  // `stem`.csv, .md and .json. `load`: programs that wanted the machine when the measurement began.
  PeerRows(const std::string& stem, const nlohmann::json& about, double load);
  void add(const PeerRow& row);  // prints it, too
  // CSV: a row a line, medians and least and greatest; ratio: the peer's time over ours, of each round. Error(usage) where a file
  // cannot be written.
  void write() const;

 private:
  std::string stem_;
  nlohmann::json about_;
  double load_;
  std::vector<PeerRow> rows_;
};

}  // namespace weir::bench
