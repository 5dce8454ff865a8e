// The time step: fixed or from the CFL number; the last one is shortened to reach the end time.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "miniapps/structured/case.hpp"

namespace weir {

class StepSize {
 public:
  // wall_rate(t): the Courant rate of moving walls at a later time. The CFL number also limits it at the end of the
  // step, so that a flow started from rest by a wall has a first step, and an accelerating wall is followed. The case
  // must outlive this.
  explicit StepSize(const IncompressibleCase& c, std::function<double(double)> wall_rate = {});

  // Returns the next time step; 1 for flows without physical time. rate: courant_rate of the flow, used only if
  // needs_rate(). dt changes only if it is above the limit cfl / rate or below 0.8 of it, because each change costs an
  // update of the momentum solvers; it grows by at most a factor of 1.2.
  double next(double time, double rate);
  bool needs_rate() const { return !control_.steady && control_.dt == 0; }
  bool finished(double time) const { return !control_.steady && time >= control_.end * (1 - 1e-12); }

  // Records the CFL number after a step. Called if it is known, which is always so after the first step of a process.
  void saw(double cfl);
  bool has_seen() const { return first_cfl_ != 0; }
  // The reason why the run cannot reach its end time: dt is too small, or the CFL number of a fixed dt too large.
  // Empty: there is none.
  std::string why_collapsed(double time, std::int64_t step) const;

  // These two values are kept in checkpoints.
  double dt = 0;       // step before it is shortened at the end time
  double largest = 0;  // largest step so far

 private:
  double within_wall_limit(double time, double step) const;

  TimeControl control_;
  std::function<double(double)> wall_rate_;
  double first_cfl_ = 0, last_cfl_ = 0;  // first and last CFL number of this process
  // The Courant rate of the flow that sides, forces and buoyancy would cause from rest at a time.
  double start_rate(double t) const;
  double first_step() const;

  const IncompressibleCase* case_;
};

}  // namespace weir
