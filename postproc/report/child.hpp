// A program run as a child, in a process group of its own, and what ends it: a signal that asks this process to stop (SIGINT,
// SIGTERM, SIGHUP) is passed on to the child's group, which then has its own orderly end.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace weir {

struct Child {
  int exit_code = -1;  // 128 + n: signal n ended it
  double processor_seconds = 0;
  std::int64_t peak_bytes = 0;
};

// While one of these lives, such a signal ends no process but is kept; there is one at a time.
class ChildSignals {
 public:
  ChildSignals();
  ~ChildSignals();
  ChildSignals(const ChildSignals&) = delete;
  ChildSignals& operator=(const ChildSignals&) = delete;

  // command[0] is the program's path, or its name on PATH; its output goes to the file `log` (empty: where ours goes).
  // Error(internal) where it cannot start.
  Child run(std::vector<std::string> command, const std::string& log);
  int caught();  // the last such signal so far; 0: none

 private:
  void hear(int timeout_ms);
  int caught_ = 0, passed_on_to_ = 0;
};

}  // namespace weir
