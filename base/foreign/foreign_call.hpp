// Calls into code that is not Weir's (a plugin of the user's). Where such code crashes, the process ends with a line that names
// library and call instead of a bare signal; where it does not come back, the wall limit ends it all the same. Nothing
// of the run can be written then: what it had on the disk (records, checkpoints) stays as it is.
#pragma once
#include <csignal>

namespace weir {

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

 private:
  const char *outer_library_, *outer_call_;
};

}  // namespace weir
