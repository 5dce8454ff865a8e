// The miniapps of the command line.
#include <cstring>

#include "base/print.hpp"
#include "miniapps/cli/command_line.hpp"
#include "miniapps/cli/start.hpp"
#include "miniapps/compressible/compressible.hpp"
#include "miniapps/immersed/immersed.hpp"
#include "miniapps/incompressible/incompressible.hpp"

int main(int argc, char** argv) {
  using namespace weir;
  open_standard_streams();
  limit_spinning(argv);
  return code_of([&] {
    refuse_threads_of_environment();
    if (argc > 1 && std::strcmp(argv[1], "bench") == 0) start_benchmarks(argv);
    const std::shared_ptr<Communicator> ranks = make_world();
    ranks->silence_others();
    Build build = this_build();
    if (const std::string mpi = mpi_library(); !mpi.empty()) build.libraries["MPI"] = mpi;
    const Program program{
        .miniapps = {{"incompressible", run_incompressible, info_incompressible, incompressible_keys,
                      incompressible_results},
                     {"compressible", run_compressible, info_compressible, compressible_keys, compressible_results},
                     {"immersed", run_immersed, info_immersed, immersed_keys, immersed_results}},
        .ranks = ranks,
        .build = build,
    };
    return run_command_line(program, argc, argv);
  });
}
