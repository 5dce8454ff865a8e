// The time step: fixed, or from the CFL number, and the last one cut to end on time.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "miniapps/structured/case.hpp"

namespace weir {

class StepSize {
 public:
  // wall_rate(t): the Courant rate of walls that move by themselves at a time to come. A step by the CFL number keeps it at
  // the step's end too, so that a flow that such a wall starts from rest has a first step, and one that speeds up is followed.
  // The case must outlive this.
  explicit StepSize(const IncompressibleCase& c, std::function<double(double)> wall_rate = {});

  // rate: courant_rate of the flow; asked only where needs_rate(). A new step is chosen only where the present one is
  // above the limit or below 0.8 of it, since every change costs the momentum solvers an update; it grows by at
  // most 1.2. Without physical time a step is 1.
  double next(double time, double rate);
  bool needs_rate() const { return !control_.steady && control_.dt == 0; }
  bool finished(double time) const { return !control_.steady && time >= control_.end * (1 - 1e-12); }

  // The CFL number after a step, where it is known; the first one of a process always is.
  void saw(double cfl);
  bool has_seen() const { return first_cfl_ != 0; }
  // Why the flow will never come to its end: the CFL number has cut dt by too much, or, of a fixed dt, has grown by too much;
  // else empty.
  std::string why_collapsed(double time, std::int64_t step) const;

  // Kept in checkpoints.
  double dt = 0;       // before the cut at the end
  double largest = 0;  // so far

 private:
  double within_wall_limit(double time, double step) const;

  TimeControl control_;
  std::function<double(double)> wall_rate_;
  double first_cfl_ = 0, last_cfl_ = 0;  // that this process saw
  // The Courant rate of the flow that sides, forces and buoyancy make from rest, as they are at a time: what a fluid at rest
  // does not show.
  double start_rate(double t) const;
  double first_step() const;

  const IncompressibleCase* case_;
};

}  // namespace weir
