// Errors and exit codes. A numerical outcome (a solver that did not converge) is returned, never thrown.
#pragma once
#include <stdexcept>
#include <string>

namespace weir {

// Exit codes of the process. A signal n gives 128 + n.
enum class Exit : int {
  finished = 0,
  internal = 1,
  usage = 2,  // command line or case file
  solver_failed = 3,
  not_finite = 4,
  check_failed = 5,  // the case's [check] table out of tolerance
  file_io = 6,
  out_of_memory = 7,
  no_device = 8,
  wall_limit = 9,  // stopped at the wall-clock limit, with a checkpoint
};

// An error that a user can cause. main() prints the text and returns the code.
class Error : public std::runtime_error {
 public:
  Error(Exit code, const std::string& what) : std::runtime_error(what), code_(code) {}
  Exit code() const { return code_; }

 private:
  Exit code_;
};

}  // namespace weir
