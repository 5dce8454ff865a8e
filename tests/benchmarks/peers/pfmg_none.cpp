#include "tests/benchmarks/peers/pfmg.hpp"

namespace weir::bench {

PeerResult hypre_pfmg(const StructProblem&) { return {}; }

}  // namespace weir::bench
