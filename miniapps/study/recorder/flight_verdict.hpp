// The most likely cause of a failed run, derived from its recorded steps by pure functions.
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
inline constexpr std::size_t most_solves = 8;   // last solves kept per step

struct FlightSolve {
  int system = -1;
  int iterations = 0, age = 0;
  Reason reason = Reason::converged;
  double residual0 = 0, residual = 0, setup_seconds = 0, seconds = 0;
};

// A step and the state at its start.
struct FlightMoment {
  std::int64_t step = 0;
  double time = 0;
  double dt = 0;    // of this step; 0: not completed
  double cfl = -1;  // of the state at its start with the previous dt; negative: unknown
  std::array<ValueRange, most_watched> range{};
};

// A step with its solves. The size is fixed, so that nothing is allocated during the run.
struct FlightStep : FlightMoment {
  std::array<FlightSolve, most_solves> solve{};  // solve[k % most_solves]: the k-th solve
  int solves = 0, failed_solves = 0;
};

// Evenly spread moments of a whole run: when the buffer is full, every second one is dropped and the stride is doubled.
class FlightHistory {
 public:
  explicit FlightHistory(std::size_t most = 512) : most_(most) { kept_.reserve(most); }  // even
  void add(const FlightMoment& moment);
  const std::vector<FlightMoment>& kept() const { return kept_; }

 private:
  std::size_t most_, seen_ = 0, stride_ = 1;
  std::vector<FlightMoment> kept_;
};

// An invalid value of the state.
struct BadValue {
  std::string variable, place;
  double value = 0;
  std::int64_t count = 0, cells = 0;
  std::int64_t step = 0;  // the step that started from it or produced it
};

struct FlightEvidence {
  std::vector<std::string> variables;
  std::vector<char> positive;         // per variable: must be positive (density, pressure)
  std::vector<FlightStep> steps;      // oldest first; the last one failed
  std::vector<FlightMoment> moments;  // of this process: thinned history, then `steps`
  FlightStep first;                   // first step of this process
  bool restarted = false;
  std::optional<BadValue> not_finite;  // first NaN or Inf of the state
  std::optional<BadValue> unphysical;  // a non-positive density or pressure at the start of the last step
  std::optional<Finding> solve;        // of the last solve, if it failed
  std::optional<Finding> stall;        // diagnosis of the flow code after max_steps
  std::string limit;                   // key of the limit that was reached
  double courant_limit = 0;
  double last_cfl = -1;  // after the failure (pseudo-time controllers reduce it)
  std::string step_key, start_key;
  bool ended_not_finite = false;
};

// Whether the norm of the right-hand sides falls over the steps.
bool residual_falls(const std::vector<FlightStep>& steps);

Finding verdict_of_flight(const FlightEvidence& evidence);

}  // namespace weir
