// From the last steps of a run that ended badly to the most likely cause: pure functions of what was recorded.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "miniapps/driver/value_range.hpp"
#include "solvers/diagnosis/finding.hpp"
#include "solvers/krylov/krylov.hpp"

namespace weir {

inline constexpr std::size_t most_watched = 8;  // variables of a flow
inline constexpr std::size_t most_solves = 8;   // the last ones of a step

struct FlightSolve {
  int system = -1;
  int iterations = 0, age = 0;
  Reason reason = Reason::converged;
  double residual0 = 0, residual = 0, setup_seconds = 0, seconds = 0;
};

// A step, and the state that it began from.
struct FlightMoment {
  std::int64_t step = 0;
  double time = 0;
  double dt = 0;    // of this step; 0: it did not come to its end
  double cfl = -1;  // of the state it began from, with the step before; negative: not known
  std::array<ValueRange, most_watched> range{};
};

// With its solves. Of fixed size: nothing is allocated while a run goes well.
struct FlightStep : FlightMoment {
  std::array<FlightSolve, most_solves> solve{};  // solve[k % most_solves] is the k-th
  int solves = 0, failed_solves = 0;
};

// Moments of a whole run, evenly spread: each one at first; whenever there is no room, every second one goes, and from then
// on half as many come.
class FlightHistory {
 public:
  explicit FlightHistory(std::size_t most = 512) : most_(most) { kept_.reserve(most); }  // an even number
  void add(const FlightMoment& moment);
  const std::vector<FlightMoment>& kept() const { return kept_; }

 private:
  std::size_t most_, seen_ = 0, stride_ = 1;
  std::vector<FlightMoment> kept_;
};

// A value of the state that must not be.
struct BadValue {
  std::string variable, place;
  double value = 0;
  std::int64_t count = 0, cells = 0;
  std::int64_t step = 0;  // the step that began from it, or in which it was made
};

struct FlightEvidence {
  std::vector<std::string> variables;
  std::vector<char> positive;         // of each variable: a density, a pressure
  std::vector<FlightStep> steps;      // the oldest first; the last one is the step that failed
  std::vector<FlightMoment> moments;  // of this process, thinned, and at the end those of `steps`
  FlightStep first;                   // of this process
  bool restarted = false;
  std::optional<BadValue> not_finite;  // where the state was first seen not to be finite
  std::optional<BadValue> unphysical;  // a positive variable that is not, in the state the last step began from
  std::optional<Finding> solve;        // of the last solve, where it failed
  std::optional<Finding> stall;        // what the flow code found out where its steps ran out
  std::string limit;                   // key of a limit that was reached
  double courant_limit = 0;
  double last_cfl = -1;  // after the failure: pseudo-time controllers cut it
  std::string step_key, start_key;
  bool ended_not_finite = false;
};

bool residual_falls(
    const std::vector<FlightStep>& steps);  // of the systems' right-hand sides, from the first to the last

Finding verdict_of_flight(const FlightEvidence& evidence);

}  // namespace weir
