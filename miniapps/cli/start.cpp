#include "miniapps/cli/start.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"
#include "postproc/run/machine.hpp"

namespace weir {

void limit_spinning(char** argv) {
  if (std::getenv("GOMP_SPINCOUNT") || std::getenv("OMP_WAIT_POLICY")) return;
  setenv("GOMP_SPINCOUNT", "2000", 1);
  std::error_code unknown;  // by its own path, so that `top` and `pgrep` show its name
  const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (!unknown) execv(program.c_str(), argv);
}

void refuse_threads_of_environment() {
  if (omp_get_max_threads() > most_threads())
    throw Error(Exit::usage, fmt::format("OMP_NUM_THREADS = {}: this machine allows at most {} threads",
                                         omp_get_max_threads(), most_threads()));
}

void start_benchmarks(char** argv) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "weir_bench";
  execv(program.c_str(), argv + 1);
  throw Error(Exit::usage,
              "the benchmark program " + program + " is missing; build it with: ./weir build default weir_bench");
}

}  // namespace weir
