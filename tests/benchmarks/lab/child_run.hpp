// Real runs of the flow codes as child processes, and what the reference solver's own solves took in them.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "postproc/report/child.hpp"

namespace weir::bench {

struct Subject {
  std::string name, path, system;  // of the case, in inputs/; whose systems
  int steps = 0;
  std::vector<std::string> set;
};
inline double median_of(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

std::string inputs_folder();

Subject cavity_subject();
Subject aerofoil_subject();
Subject cylinder_subject();

// Runs it for N steps into the directory `run`, with `more` keys set; milliseconds of each of the reference
// solver's own solves of the subject's system, setup in them, in their order. Empty where a signal came. Error where
// the run failed.
std::vector<double> own_solves(ChildSignals& signals, const Subject& subject, int steps,
                               const std::vector<std::string>& more, const std::string& run);

}  // namespace weir::bench
