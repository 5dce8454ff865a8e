// weir ab STUDY.toml: paired A/B runs. Cases x configurations x repeats as whole runs, compared at the same point of
// the run.
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

// The point of comparison. Kind::column: the column has fallen to `value` times its maximum so far.
struct AbTarget {
  enum class Kind { end, time, column } kind = Kind::end;
  std::string column;
  double value = 0;
  std::string describe() const;
};

// A run beyond its budget is stopped at the next step and counts as slower than the budget. A configuration that was
// stopped in all of six runs is not run again.
struct AbBudget {
  double seconds = 0;  // limit of the time loop; 0: none
  double factor = 0;   // limit as a multiple of the baseline's first run of the same case; 0: none
  explicit operator bool() const { return seconds > 0 || factor > 0; }
  std::string describe() const;  // "12 times the baseline", "60 s"
};

struct AbStudy {
  std::string path, title;
  std::vector<AbCase> cases;
  std::vector<AbConfiguration> configurations;  // [0] the baseline, [1] the baseline again (A/A control)
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

// Error(Exit::usage) with file and line. budget: "12x" or "60s" replaces the one of the file; empty: the file's.
AbStudy read_ab_study(const std::string& path, const std::string& budget = "");

// The same for a file that holds more than a study.
AbStudy ab_study_of(const Table& file, const std::string& path, const std::string& budget);

// A run of the study, by indices. The order within each repeat is random over cases and configurations; if the budget
// is relative to the baseline, the baseline's first run of a case comes first.
struct AbTwin {
  std::size_t of_case = 0, configuration = 0;
  int repeat = 0, place = 0;  // place: position in the order of the study
};
std::vector<AbTwin> draw_order(const AbStudy& study);

}  // namespace weir
