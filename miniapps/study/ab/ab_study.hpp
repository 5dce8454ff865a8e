// weir ab STUDY.toml: paired A/B runs. Cases x configurations x repeats as whole runs, compared where they have come equally far.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/key_table.hpp"
#include "base/table.hpp"

namespace weir {

struct AbCase {
  std::string name, path;
  bool is_checkpoint = false;
};

struct AbConfiguration {
  std::string name;
  std::vector<std::string> set, unset;
};

// Where runs are compared. `falls_to` is relative to the largest value of the column so far.
struct AbTarget {
  enum class Kind { end, time, column } kind = Kind::end;
  std::string column;
  double value = 0;
  std::string describe() const;
};

// After which a run is stopped at its next step: it then counts as "more than that". What it has stopped six times of six is
// not run again.
struct AbBudget {
  double seconds = 0;  // of its time loop; 0: none
  double factor = 0;   // times what the baseline's first run of the same case takes; 0: none
  explicit operator bool() const { return seconds > 0 || factor > 0; }
  std::string describe() const;  // "12 x the baseline", "60 s"
};

struct AbStudy {
  std::string path, title;
  std::vector<AbCase> cases;
  std::vector<AbConfiguration> configurations;  // [0] the baseline, [1] its double
  int repeats = 6;
  std::uint64_t seed = 1;
  std::int64_t steps = 0;
  double wall_limit = 0;
  std::vector<std::string> set, unset;
  AbTarget target;
  AbBudget budget;
  bool report = true;
};

std::vector<KeyTable> ab_keys();

// Error(Exit::usage) with file and line where the study cannot be. budget: "12x", "60s", instead of the file's; empty: that.
AbStudy read_ab_study(const std::string& path, const std::string& budget = "");

// The same of a file that holds more than a study.
AbStudy ab_study_of(const Table& file, const std::string& path, const std::string& budget);

// A run of the study: indices into it. The order of each repeat is randomised by the seed, cases and configurations alike;
// where the baseline's time is a budget, its first run of a case comes before the others.
struct AbTwin {
  std::size_t of_case = 0, configuration = 0;
  int repeat = 0, place = 0;  // in the order of the whole study
};
std::vector<AbTwin> draw_order(const AbStudy& study);

}  // namespace weir
