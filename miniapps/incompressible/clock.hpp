// The time step: fixed, or from the CFL number, and the last one cut to end on time.
#pragma once
#include "miniapps/incompressible/case.hpp"

namespace weir {

class StepSize {
 public:
  explicit StepSize(const IncompressibleCase& c);

  // rate: courant_rate of the flow; asked only where needs_rate(). A new step is chosen only where the present one is
  // above the limit or below 0.8 of it, since every change costs the momentum solvers an update; it grows by at
  // most 1.2.
  double next(double time, double rate);
  bool needs_rate() const { return control_.dt == 0; }
  bool finished(double time) const { return time >= control_.end * (1 - 1e-12); }

  double dt = 0;  // before the cut at the end; kept in checkpoints

 private:
  TimeControl control_;
  double start_rate_ = 0;  // of the flow that the boundary and the force will make: what a fluid at rest does not tell
};

}  // namespace weir
