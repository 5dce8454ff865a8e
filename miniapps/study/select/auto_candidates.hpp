// Who races where [linear.SYSTEM] says method = "auto": the one list, for each kind of matrices.
#pragma once
#include <span>
#include <string>

#include "miniapps/study/facility.hpp"

namespace weir {

struct AutoCandidate {
  const char* name;
  unsigned matrices;    // that it is tried on, of registry.hpp
  const char* options;  // as in [linear.SYSTEM]
};
std::span<const AutoCandidate> auto_candidates();

// The system whose method is "auto"; empty: none. Error(usage) where there are two.
std::string automatic_system(const LabCase& c);

}  // namespace weir
