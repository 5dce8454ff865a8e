// SIGINT, SIGTERM and SIGHUP stop the time loop after its step. The second one of a kind ends the process at once.
#pragma once

namespace weir {

class StopSignals {
 public:
  StopSignals() = default;
  ~StopSignals() { release(); }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  void catch_them();
  void release();
  static int caught();  // the number of the signal, or 0

 private:
  bool active_ = false;
};

}  // namespace weir
