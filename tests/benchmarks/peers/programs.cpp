#include "tests/benchmarks/peers/programs.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/error.hpp"

namespace weir::bench {

namespace fs = std::filesystem;

std::string weir_program() { return (fs::read_symlink("/proc/self/exe").parent_path() / "weir").string(); }

bool is_on_path(const std::string& program) {
  std::stringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(path, folder, ':');)
    if (fs::exists(fs::path(folder) / program)) return true;
  return false;
}

void write_file(const fs::path& path, const std::string& words) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path);
  file << words;
  if (!file.flush()) throw Error(Exit::usage, path.string() + ": cannot be written");
}

Child run_program(const std::vector<std::string>& command, const fs::path& log) {
  ChildSignals signals;
  const Child child = signals.run(command, log.string());
  if (signals.caught()) throw std::runtime_error("stopped by a signal");
  if (child.exit_code != 0 && child.exit_code != 5)
    throw Error(Exit::solver_failed,
                fmt::format("{} ends with code {}; see {}", command[0], child.exit_code, log.string()));
  return child;
}

}  // namespace weir::bench
