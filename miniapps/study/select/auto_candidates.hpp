// The candidates of [linear.SYSTEM] method = "auto", for each kind of matrix.
#pragma once
#include <span>
#include <string>

#include "miniapps/study/facility.hpp"

namespace weir {

struct AutoCandidate {
  const char* name;
  unsigned matrices;    // kinds of matrices (registry.hpp)
  const char* options;  // as in [linear.SYSTEM]
};
std::span<const AutoCandidate> auto_candidates();

// The system with method = "auto"; empty: none. Error(usage) if there are two.
std::string automatic_system(const LabCase& c);

}  // namespace weir
