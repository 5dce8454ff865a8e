// Where the tables of the anzt suites go.
#pragma once
#include <string>

#include "tests/benchmarks/bench.hpp"

namespace weir::bench {

// folder/name.csv; the folder is made. Throws Error(file_io).
std::string csv_path(const std::string& folder, const std::string& name);

}  // namespace weir::bench
