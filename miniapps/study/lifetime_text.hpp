// What is said of a preconditioner's lifetime at the end of a run; see lifetime.hpp.
#pragma once
#include <string>

#include "postproc/run/run.hpp"
#include "solvers/refresh.hpp"

namespace weir {

// A table for the log, and lifetime.csv: a row an age, then a row a schedule.
void report_lifetime(Run& run, const std::string& system, const RefreshPolicy& policy);

}  // namespace weir
