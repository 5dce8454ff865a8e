// Who races where [linear.SYSTEM] says method = "auto": the one list, for each kind of matrices.
#pragma once
#include <span>

namespace weir {

struct AutoCandidate {
  const char* name;
  unsigned matrices;    // that it is tried on, of registry.hpp
  const char* options;  // as in [linear.SYSTEM]
};
std::span<const AutoCandidate> auto_candidates();

}  // namespace weir
