// Branches of a run: candidates run the same few steps from one state in memory while the flow code's own solvers stay
// untouched; then the state is restored and the run continues unchanged. The time of the whole step counts, flow work
// included; over ranks it is that of the slowest rank, so that all ranks agree. cost_clock.hpp describes the clock.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "miniapps/study/relay/branch_observer.hpp"
#include "miniapps/study/relay/candidate_solvers.hpp"
#include "miniapps/study/relay/cost_clock.hpp"
#include "miniapps/study/relay/flow_branch.hpp"
#include "miniapps/study/relay/relay_series.hpp"
#include "postproc/run/run.hpp"

namespace weir {

// The candidates of a table: [TABLE.NAME] with the keys of [linear.SYSTEM] and candidate_options().
class Candidates {
 public:
  // table: [relay] or [select]; its key `solvers` has the names. If it is empty, the table is ignored.
  // automatic: the system with method = "auto"; its candidates are auto_candidates() unless the table names some.
  Candidates(const Table& table, const std::vector<std::string>& systems, const std::string& automatic = "");
  const std::string& system() const { return system_; }
  const std::vector<std::string>& names() const { return names_; }

  template <class Space>
  void refuse_unfit(const SystemDefaults& s) const;  // Error(usage)
  // Why an automatic candidate is unsuitable; empty: it is suitable.
  template <class Space>
  std::string why_left_out(const std::string& name, const StudiedSystem<Space>& s) const;
  bool is_automatic() const { return is_automatic_; }
  // The solvers of [TABLE.NAME], and those of the reference solver itself; observer: watches the studied system.
  template <class Space>
  CandidateSolvers<Space> solvers(const std::string& name, const Communicator& ranks,
                                  BranchObserver<Space>* observer = nullptr) const;
  template <class Space>
  CandidateSolvers<Space> reference(const std::string& name, const Communicator& ranks,
                                    BranchObserver<Space>* observer = nullptr) const;

 private:
  Table options_of(const std::string& name) const;
  template <class Space>
  typename CandidateSolvers<Space>::Make observed_by(BranchObserver<Space>* observer,
                                                     typename CandidateSolvers<Space>::Make make) const;
  Table table_;
  std::string system_;
  std::vector<std::string> names_;
  bool is_automatic_ = false;
};

template <class Space>
class Branches {
 public:
  explicit Branches(const Communicator& ranks) : ranks_(ranks) {}
  Branches(const Branches&) = delete;  // the solvers keep a pointer to it
  Branches& operator=(const Branches&) = delete;

  void add(CandidateSolvers<Space> candidate) { candidates_.push_back(std::move(candidate)); }
  std::vector<CandidateSolvers<Space>>& candidates() { return candidates_; }
  void open(Run& run);
  double now() const { return clock_.now(); }
  void observe_by(BranchObserver<Space>* observer) { observer_ = observer; }

  // Sets the initial state of the following branches.
  void hold(const FlowBranch& flow);
  std::int64_t state_bytes() const;
  const CostClock& clock() const { return clock_; }
  // The candidate runs `steps` steps; it is stopped after `limit` seconds. Failures of a solver are in the result;
  // other errors, and those of one rank alone, are thrown.
  BranchRun run(int index, int steps, const FlowBranch& flow, double limit = never);
  // Restores the state. The solver data in it go to the candidate, not to the flow code's own solvers.
  void restore(int index, const FlowBranch& flow);
  bool is_interrupted();  // the run is about to stop; all ranks call

  static constexpr double never = std::numeric_limits<double>::infinity();

 private:
  bool must_stop();
  void take_steps(const CandidateSolvers<Space>& candidate, int steps, const FlowBranch& flow, double limit,
                  BranchRun& run);

  const Communicator& ranks_;
  Run* run_ = nullptr;
  BranchObserver<Space>* observer_ = nullptr;
  std::vector<CandidateSolvers<Space>> candidates_;
  Checkpoint state_;
  Diverted records_;  // of the current step
  CostClock clock_;
  double cut_at_ = never;        // by the clock
  bool is_interrupted_ = false;  // the run is about to stop
  int polls_ = 0;
};

}  // namespace weir
