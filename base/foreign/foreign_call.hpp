// Calls into foreign code, such as a user's plugin. If such code crashes or calls exit() or _exit(), the process ends
// with a message that names the library and the call. If it does not return, the wall-clock limit still ends the
// process. Records and checkpoints on disk stay valid.
#pragma once
#include <cfenv>
#include <string>

namespace weir {

// A JSON file written if the process ends within a foreign call: its parts around the exit code and around the
// reason. Written under the name `temporary`, then renamed.
struct LastWords {
  std::string path, temporary, before_code, before_reason, after;
};

// The rounding mode, treatment of denormal numbers and floating-point traps of this thread.
class FloatingPoint {
 public:
  FloatingPoint();
  // Restores the state. Returns a description of the difference; empty: none.
  std::string restore() const;

 private:
  struct State {
    int rounding, traps;
    bool keeps_denormals;
    bool operator==(const State&) const = default;
  };
  static State state();
  State state_;
  fenv_t all_;
};

class ForeignCall {
 public:
  // Both texts must outlive the call. The first call of a process installs signal handlers. Calls nest.
  ForeignCall(const char* library, const char* call);
  ~ForeignCall();
  ForeignCall(const ForeignCall&) = delete;
  ForeignCall& operator=(const ForeignCall&) = delete;

  // Ends the process with Exit::wall_limit if, from `seconds` on, a call takes longer than 1 s; negative: never.
  static void must_end_after(double seconds);
  static void leaves(LastWords words);  // without a path: no file

 private:
  const char *outer_library_, *outer_call_;
};

}  // namespace weir
