// Calls into code that is not Weir's (a plugin of the user's). Where such code crashes, the process ends with a line that
// names library and call instead of a bare signal, and where it ends the process with exit() or _exit() likewise; where it
// does not come back, the wall limit ends it all the same. What the run had on the disk (records, checkpoints) stays as it
// is; the one file that can be written then is prepared before.
#pragma once
#include <cfenv>
#include <string>

namespace weir {

// A file of JSON that a process leaves which ends within a call: the parts around the exit code and around the reason, which
// stands in a string. Written under the name `temporary`, then renamed.
struct LastWords {
  std::string path, temporary, before_code, before_reason, after;
};

// How numbers are rounded, whether denormal ones vanish and which exceptions are signals, of this thread: as it is now.
class FloatingPoint {
 public:
  FloatingPoint();
  // Makes it so again. What had changed, in words; empty: nothing.
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
  // Both texts must live as long as the call. The first one of a process installs handlers; later ones cost some
  // nanoseconds. They nest.
  ForeignCall(const char* library, const char* call);
  ~ForeignCall();
  ForeignCall(const ForeignCall&) = delete;
  ForeignCall& operator=(const ForeignCall&) = delete;

  // From `seconds` on, from now, a call that takes longer than a second ends the process with Exit::wall_limit; negative: never.
  static void must_end_after(double seconds);
  static void leaves(LastWords words);  // without a path: nothing

 private:
  const char *outer_library_, *outer_call_;
};

}  // namespace weir
