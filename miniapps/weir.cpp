// What exists: the miniapps that the command line knows.
#include <cstdio>
#include <cstring>

#include "base/error.hpp"
#include "miniapps/cli/command_line.hpp"
#include "miniapps/cli/start.hpp"
#include "miniapps/compressible/compressible.hpp"
#include "miniapps/immersed/immersed.hpp"
#include "miniapps/incompressible/incompressible.hpp"

int main(int argc, char** argv) {
  weir::limit_spinning(argv);
  std::shared_ptr<weir::Communicator> ranks;
  try {
    if (argc > 1 && std::strcmp(argv[1], "bench") == 0) weir::start_benchmarks(argv);
    ranks = weir::make_world();
  } catch (const weir::Error& e) {
    std::fprintf(stderr, "weir: %s\n", e.what());
    return static_cast<int>(e.code());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "weir: %s\n", e.what());
    return static_cast<int>(weir::Exit::internal);
  }
  ranks->silence_others();
  weir::Build build = weir::this_build();
  if (const std::string mpi = weir::mpi_library(); !mpi.empty()) build.libraries["MPI"] = mpi;
  const weir::Program program{
      .miniapps = {{"incompressible", weir::run_incompressible, weir::info_incompressible, weir::incompressible_keys},
                   {"compressible", weir::run_compressible, weir::info_compressible, weir::compressible_keys},
                   {"immersed", weir::run_immersed, weir::info_immersed, weir::immersed_keys}},
      .ranks = ranks,
      .build = build,
  };
  return weir::run_command_line(program, argc, argv);
}
