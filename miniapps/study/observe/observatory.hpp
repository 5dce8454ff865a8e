// [observe]: what a solve looks like from inside, in records and, cell by cell, in the pictures of the flow.
//   [observe]  system = "flow", every = 10 (steps; 0: off), error = false
// At these steps, for each system of that name: the preconditioner's probe |r - A M^-1 r| / |r| of the first residual, of
// asynchronous ILU the fixed-point residual, the dominance of L and U and stale reads, and the early warning
// (early_warning.hpp); after the solve the residual of every block row. error = true: also |x* - x| with an x* to which the
// system was solved on, to 1e-12 of its right-hand side. `observatory.csv` has a row a solve; what it costs stands there
// and at the end of the log. Over ranks the numbers are of the whole system (sums, the largest of all ranks), the time is that
// of the rank that took longest, and the rows of all ranks come together on rank 0 for a picture.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "miniapps/study/facility.hpp"
#include "miniapps/study/observe/observe_rows.hpp"
#include "miniapps/study/recorder/early_warning.hpp"

namespace weir {

Options observe_options();

template <class Space>
class Observatory : public Facility<Space> {
 public:
  Observatory(const Table& config, const std::vector<std::string>& systems, const Communicator& ranks);
  ~Observatory() override;

  void describe(const FlowFacts<Space>& facts) override { numbers_ = facts.numbers; }
  void attach(const StudiedSystem<Space>& system) override;
  void open(Run& run) override;
  void begin_step(std::int64_t step) override;
  std::vector<RowField> fields(const std::string& system) override;
  void finish(Run& run) override;

 private:
  class Eye;  // on one solver
  void record(const Eye& eye, const SolveObservation& seen, const SolveResult& result);

  const Communicator& ranks_;
  std::function<std::vector<int>(const std::string&, int)> numbers_;  // as FlowFacts has it
  std::string system_;
  std::int64_t every_ = 0, step_ = 0;
  bool due_ = false, wants_error_ = false;
  std::vector<std::unique_ptr<Eye>> eyes_;
  LineFile rows_;
  Run* run_ = nullptr;
  double seconds_ = 0, error_seconds_ = 0;
  int observed_ = 0, warnings_ = 0;
};

}  // namespace weir
