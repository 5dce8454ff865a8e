#include "tests/benchmarks/peers/csr_ilu_peer.hpp"

namespace weir::bench {
PeerSolve peer_fgmres(const BlockCsrData&, const std::vector<double>&, int, int, double) { return {}; }
}  // namespace weir::bench
