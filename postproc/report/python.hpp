// Reports are made by Python in a child process: numpy and matplotlib are optional, and a fault in them harms no run.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace weir {

// Runs a program found on PATH or by its path and waits for it; its exit status, or -1 where it could not run, or
// 128 + n where signal n has asked this process to end meanwhile: the child has been told, and has ended.
int run_child(std::vector<std::string> arguments);

// A Python that has a package: numpy for the page, matplotlib for pictures.
std::optional<std::string> find_python(const std::string& package);

// A file of postproc/report/, by its name there.
std::optional<std::string> find_script(const std::string& name);

}  // namespace weir
