// The benchmark suites that `weir bench` knows: suites.cpp lists them, suites_none.cpp stands in where benchmarks are
// not built.
#pragma once
#include <vector>

#include "miniapps/cli/command_line.hpp"

namespace weir {

std::vector<Suite> benchmark_suites(const std::shared_ptr<Communicator>& ranks);

}  // namespace weir
