#include "postproc/report/python.hpp"

#include <cstdio>
#include <filesystem>

#include "base/error.hpp"
#include "postproc/own_file.hpp"
#include "postproc/report/child.hpp"

namespace weir {

int run_child(std::vector<std::string> arguments) {
  std::fflush(stdout);
  ChildSignals signals;
  try {
    const int code = signals.run(std::move(arguments), "").exit_code;
    return signals.caught() ? 128 + signals.caught() : code > 128 ? -1 : code;  // a signal of its own is a failure
  } catch (const Error&) {
    return -1;
  }
}

// The Python of the system first, because distribution packages are installed for it.
std::optional<std::string> find_python(const std::string& package) {
  const std::string has_it = "import importlib.util as u, sys; sys.exit(u.find_spec('" + package + "') is None)";
  for (const char* python : {"/usr/bin/python3", "python3"})
    if (run_child({python, "-c", has_it}) == 0) return python;
  return std::nullopt;
}

std::optional<std::string> find_script(const std::string& name) {
  std::error_code error;
  const std::string script = own_file("postproc/report/" + name);
  return std::filesystem::exists(script, error) ? std::optional(script) : std::nullopt;
}

}  // namespace weir
