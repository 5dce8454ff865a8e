// The command line: verb -> function. miniapps/weir.cpp lists the miniapps.
#pragma once
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "miniapps/driver/quantity.hpp"
#include "postproc/run/run.hpp"

namespace weir {

struct Miniapp {
  std::string name;  // [case] miniapp
  int (*run)(Run& run, const Table& config);
  void (*info)(const Table& config, int ranks, std::ostream& out);
  std::vector<KeyTable> (*keys)() = nullptr;  // of its cases, in addition to run_keys()
  Results (*results)() = nullptr;
};

struct Program {
  std::vector<Miniapp> miniapps;
  std::shared_ptr<Communicator> ranks = std::make_shared<Communicator>();  // of mpirun
  Build build = {};
};

int run_command_line(const Program& program, int argc, char** argv);  // the process's exit code

// The value of f, or the exit code of the error that it throws, which is printed.
int code_of(const std::function<int()>& f);

}  // namespace weir
