// What exists: the miniapps and the benchmark suites that the command line knows.
#include <cstdio>

#include "base/error.hpp"
#include "miniapps/cli/command_line.hpp"
#include "miniapps/compressible/compressible.hpp"
#include "miniapps/immersed/immersed.hpp"
#include "miniapps/incompressible/incompressible.hpp"
#include "miniapps/cli/suites.hpp"

int main(int argc, char** argv) {
  std::shared_ptr<weir::Communicator> ranks;
  try {
    ranks = weir::make_world();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "weir: %s\n", e.what());
    return static_cast<int>(weir::Exit::internal);
  }
  ranks->silence_others();
  const weir::Program program{
      .miniapps = {{"incompressible", weir::run_incompressible, weir::info_incompressible},
                   {"compressible", weir::run_compressible, weir::info_compressible},
                   {"immersed", weir::run_immersed, weir::info_immersed}},
      .suites = weir::benchmark_suites(ranks),
      .ranks = ranks,
  };
  return weir::run_command_line(program, argc, argv);
}
