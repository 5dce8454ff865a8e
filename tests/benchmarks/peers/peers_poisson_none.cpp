// No hypre and no PETSc on this machine: nothing to compare with.
#include "tests/benchmarks/peers/peers_poisson.hpp"

namespace weir::bench {
Peers::Peers() = default;
Peers::~Peers() = default;
std::vector<PeerResult> Peers::solve(const PoissonProblem&) { return {}; }
}  // namespace weir::bench
