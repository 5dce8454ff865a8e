// [select] in the options of the C interface: which of several solvers takes the systems of a client. At intervals all
// of them solve the client's present system from one guess (a race), and the fastest takes the systems that follow. The
// loop is open: nothing of the client's program depends on the choice but the solution's last digits.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/table.hpp"

namespace weir::c {

// A solver in a race.
struct Lap {
  bool converged = false;
  double setup = 0, solve = 0;  // seconds
};

class OpenLoop {
 public:
  explicit OpenLoop(const Table& select);  // [select]

  const std::vector<std::string>& names() const { return names_; }  // of the candidates
  std::size_t current() const { return current_; }                  // 0: the default, k: candidate k - 1
  std::string name() const { return current_ == 0 ? "default" : names_[current_ - 1]; }
  bool is_race_due() const;  // called before a solve

  void add_setup() { ++setups_; }
  void add_solve(double seconds);
  // laps: of the default, then of the candidates, solved now one after the other. The fastest that converged becomes
  // the current one if it is faster than that by the margin. A lap costs a solve and its share of a set-up.
  void decide(const std::vector<Lap>& laps);
  void fall_back() { current_ = 0; }  // the current one has failed

 private:
  double cost(const Lap& lap) const;

  std::vector<std::string> names_;
  std::size_t current_ = 0;
  int every_;
  double margin_, budget_;
  std::int64_t solves_ = 0, setups_ = 0, since_race_ = 0;
  double own_seconds_ = 0, race_seconds_ = 0;  // of the client's solves, and of the races in addition
};

}  // namespace weir::c
