#include "postproc/report/python.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

extern char** environ;

namespace weir {

namespace fs = std::filesystem;

int run_child(std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (auto& a : arguments) argv.push_back(a.data());
  argv.push_back(nullptr);
  std::fflush(stdout);
  pid_t child = 0;
  if (posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ) != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The system's own Python first: that is the one that distribution packages serve.
std::optional<std::string> find_python() {
  const std::string has_matplotlib = "import importlib.util as u, sys; sys.exit(u.find_spec('matplotlib') is None)";
  for (const char* python : {"/usr/bin/python3", "python3"})
    if (run_child({python, "-c", has_matplotlib}) == 0) return python;
  return std::nullopt;
}

std::optional<std::string> find_script(const std::string& name) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (const fs::path& candidate : {fs::path(WEIR_SOURCE_DIR) / "postproc/report" / name,
                                    program.parent_path() / "../share/weir/postproc/report" / name})
    if (fs::exists(candidate, error)) return candidate.string();
  return std::nullopt;
}

}  // namespace weir
