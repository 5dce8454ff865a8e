// One measurement of `weir bench peers`, in a process of its own: our solver or a peer's on one case; prints JSON.
//   peer_run CASE CANDIDATE REPEATS [--quick]
// CANDIDATE: "cg+multigrid", "hypre:pfmg relax=1", "petsc:ksp -pc_type gamg"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/peers/cases.hpp"

namespace {

int run(const std::string& name, const std::string& candidate, int repeats, bool quick) {
  using namespace weir::bench;
  set_threads(1);
  std::vector<PeerCase> cases = peer_cases(quick);
  for (PeerCase& c : cases) {
    if (c.name != name) continue;
    c.repeats = repeats;
    const Checked r = measure_candidate(c, candidate, quick);
    const Measured& m = r.measured;
    const nlohmann::json out = {{"library", m.library},
                                {"seconds", m.seconds},
                                {"iterations", m.iterations},
                                {"residual", r.residual},
                                {"limit", r.limit},
                                {"bytes", m.bytes},
                                {"faults_first", m.faults_first},
                                {"faults_later", m.faults_later}};
    std::printf("%s\n", out.dump().c_str());
    std::fflush(stdout);
    std::_Exit(0);  // PETSc and hypre leave their objects
  }
  throw weir::Error(weir::Exit::usage, "no case '" + name + "'");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 4) throw weir::Error(weir::Exit::usage, "peer_run CASE CANDIDATE REPEATS [--quick]");
    return run(argv[1], argv[2], std::atoi(argv[3]), argc > 4 && !std::strcmp(argv[4], "--quick"));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "peer_run: %s\n", e.what());
    return 1;
  }
}
