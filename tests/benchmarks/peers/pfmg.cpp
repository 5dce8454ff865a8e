#include "tests/benchmarks/peers/pfmg.hpp"

#include "solvers/adapters/plugin.hpp"

namespace weir::bench {

PeerResult hypre_pfmg(const StructProblem& problem) {
  PeerResult result;
  reinterpret_cast<RunPfmg*>(plugin_function("weir_pfmg_hypre", "weir_pfmg"))(problem, result);
  return result;
}

}  // namespace weir::bench
