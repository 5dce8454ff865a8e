// What [select] has decided, and a file of that (decisions.csv) read back, to be followed without races.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace weir {

struct Decision {
  std::int64_t step = 0;  // from which on `to` leads
  std::string from, to, why;
  std::string evidence = "1,1,1,0";  // the columns from `ratio` on
};

inline constexpr const char* decision_columns = "step,system,from,to,why,ratio,low,high,races";

// In the order of their steps, those of the system. Error(usage), with the file and what was expected, where it holds
// something else than [select] writes, or a name that is none of `names`.
std::vector<Decision> read_decisions(const std::string& file, const std::string& system,
                                     const std::vector<std::string>& names);

}  // namespace weir
