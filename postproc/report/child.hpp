// A child program in its own process group. A signal to stop (SIGINT, SIGTERM, SIGHUP) is passed
// on to the child's group, which then ends in order.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace weir {

struct ChildCommand {
  std::vector<std::string> words;  // [0] is the program's path, or its name on PATH
  std::string log;                 // the file for its output; empty: that of this process
};
struct Child {
  int exit_code = -1;  // 128 + n: signal n ended it
  double processor_seconds = 0;
  std::int64_t peak_bytes = 0;
};

// During its lifetime such a signal is kept and does not end this process. One object at a time.
class ChildSignals {
 public:
  ChildSignals();
  ~ChildSignals();
  ChildSignals(const ChildSignals&) = delete;
  ChildSignals& operator=(const ChildSignals&) = delete;

  // Throws Error(internal) if it cannot start.
  Child run(std::vector<std::string> command, const std::string& log);
  // Runs all at the same time. When the first `awaited` have ended, the others are stopped (SIGTERM).
  std::vector<Child> run_together(std::vector<ChildCommand> commands, std::size_t awaited);
  int caught();  // the last such signal so far; 0: none

 private:
  void hear(int timeout_ms);
  int caught_ = 0;
  std::vector<int> running_;  // process groups; 0: has ended
};

}  // namespace weir
