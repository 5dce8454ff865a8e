#include "tests/benchmarks/peers/peer.hpp"

#include "solvers/adapters/plugin.hpp"

namespace weir::bench {

Measured measure_peer(const std::string& library, const PeerProblem& problem, const PeerTask& task) {
  Measured m;
  reinterpret_cast<MeasurePeer*>(plugin_function("weir_peers_" + library, "weir_measure_peer"))(problem, task, m);
  return m;
}

}  // namespace weir::bench
