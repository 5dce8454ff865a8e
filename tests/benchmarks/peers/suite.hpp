// The table of Weir compared with its peers (docs/results/performance.md): every figure from processes of their own,
// one solver each, run interleaved, in processor time. hypre and PETSc with the best settings of a search, OpenFOAM's
// icoFoam where it is installed.
#pragma once
#include <string>
#include <vector>

#include "tests/benchmarks/report.hpp"

namespace weir::bench {

struct PeersOptions {
  std::string folder = "weir-bench";  // peers.md, peers.csv, peers.json, peer_settings.json
  bool quick = false;                 // small systems, one round: shows that it works
  int rounds = 7;
  bool search = false;             // again, of the cases measured
  std::vector<std::string> cases;  // none named: all
  Build build;
};
// 0. Settings are those of peer_settings.json in the folder, else in docs/results, where that has the case and the same
// versions of the libraries, else they are searched for; the folder's then holds what was used. Error where a
// measurement fails.
int bench_peers(const PeersOptions& options);

}  // namespace weir::bench
