// The decisions of [select], and decisions.csv read back, so that a run can repeat them without races.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace weir {

struct Decision {
  std::int64_t step = 0;  // from this step on `to` is the current solver
  std::string from, to, why;
  std::string evidence = "1,1,1,0";  // the columns from `ratio` on
};

inline constexpr const char* decision_columns = "step,system,from,to,why,ratio,low,high,races";

// The decisions for the system, by step. Error(usage) with file and line if the file was not written by [select] or
// contains a name that is not in `names`.
std::vector<Decision> read_decisions(const std::string& file, const std::string& system,
                                     const std::vector<std::string>& names);

}  // namespace weir
