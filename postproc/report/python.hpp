// Reports are made by Python in a child process: numpy and matplotlib are optional, and a fault in them affects no run.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace weir {

// Runs a program found on PATH or by its path and waits for it. Returns its exit status; -1 if it could not run; 128 +
// n if this process has received signal n (which the child has also received).
int run_child(std::vector<std::string> arguments);

// A Python that has a package: numpy for the page, matplotlib for PNG files.
std::optional<std::string> find_python(const std::string& package);

// A file of postproc/report/, by its name there.
std::optional<std::string> find_script(const std::string& name);

}  // namespace weir
