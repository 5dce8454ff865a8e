// A program run as a child, in a process group of its own, and what ends it: a signal that asks this process to stop (SIGINT,
// SIGTERM, SIGHUP) is passed on to the child's group, which then has its own orderly end.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace weir {

struct ChildCommand {
  std::vector<std::string> words;  // [0] is the program's path, or its name on PATH
  std::string log;                 // the file for its output; empty: where ours goes
};
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

  // Error(internal) where it cannot start.
  Child run(std::vector<std::string> command, const std::string& log);
  // All at once. Where the first `awaited` have ended the others are asked to stop (SIGTERM).
  std::vector<Child> run_together(std::vector<ChildCommand> commands, std::size_t awaited);
  int caught();  // the last such signal so far; 0: none

 private:
  void hear(int timeout_ms);
  int caught_ = 0;
  std::vector<int> running_;  // process groups; 0: has ended
};

}  // namespace weir
