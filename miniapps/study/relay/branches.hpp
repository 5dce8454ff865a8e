// Branches of a run: crews lead the same few steps from one state in memory, the flow code's own solvers wait untouched,
// then the state is put back and the run goes on as if nothing had been. Timed is the whole step, flow work included; over
// ranks it is the slowest rank's time, so that ranks agree; by which clock is said in cost_clock.hpp.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "miniapps/study/relay/branch_eye.hpp"
#include "miniapps/study/relay/cost_clock.hpp"
#include "miniapps/study/relay/crew.hpp"
#include "miniapps/driver/flow_branch.hpp"
#include "miniapps/study/relay/relay_series.hpp"
#include "postproc/run/run.hpp"

namespace weir {

// Who may lead: the solver of [linear.SYSTEM] and those of TABLE.NAME, with the keys of [linear.SYSTEM] and of [shadow.NAME].
class Candidates {
 public:
  // table: [relay], [select], whose key `solvers` lists names; nothing is read of the system where that is empty.
  // automatic: the system whose method is "auto"; it has the names of auto_candidates.hpp where the table lists none.
  Candidates(const Table& table, const std::vector<std::string>& systems, const std::string& automatic = "");
  const std::string& system() const { return system_; }
  const std::vector<std::string>& names() const { return names_; }

  template <class Space>
  void refuse_unfit(const SystemDefaults& s) const;  // Error(usage)
  // Of those of auto_candidates.hpp; empty: it fits.
  template <class Space>
  std::string why_left_out(const std::string& name, const StudiedSystem<Space>& s) const;
  bool is_automatic() const { return is_automatic_; }
  // A crew whose solver of the system is [TABLE.NAME], or [linear.SYSTEM]; eye: that is to see its systems.
  template <class Space>
  Crew<Space> crew(const std::string& name, const Communicator& ranks, BranchEye<Space>* eye = nullptr) const;
  template <class Space>
  Crew<Space> like_leader(const std::string& name, const Communicator& ranks, BranchEye<Space>* eye = nullptr) const;

 private:
  Table candidate(const std::string& name) const;
  template <class Space>
  typename Crew<Space>::Make seen_by(BranchEye<Space>* eye, typename Crew<Space>::Make make) const;
  Table table_;
  std::string system_;
  std::vector<std::string> names_;
  bool is_automatic_ = false;
};

template <class Space>
class Branches {
 public:
  explicit Branches(const Communicator& ranks) : ranks_(ranks) {}
  Branches(const Branches&) = delete;  // the crews' solvers ask it whether to stop
  Branches& operator=(const Branches&) = delete;

  void add(Crew<Space> crew) { crews_.push_back(std::move(crew)); }
  std::vector<Crew<Space>>& crews() { return crews_; }
  void open(Run& run);
  double now() const { return clock_.now(); }
  void look_by(BranchEye<Space>* eye) { eye_ = eye; }

  // From here on branches begin with the flow's present state.
  void hold(const FlowBranch& flow);
  std::int64_t state_bytes() const;
  const CostClock& clock() const { return clock_; }
  // Crew `who` leads so many steps; it is cut off after limit seconds. Of what a solver
  // brings about the answer tells; other errors, and those of one rank alone, are thrown.
  Lead lead(int who, int steps, const FlowBranch& flow, double limit = never);
  // With crew `who` in place: it takes what the state holds of the flow code's own solvers, which stay out of it.
  void put_back(int who, const FlowBranch& flow);
  bool is_interrupted();  // the run stops; all ranks call

  static constexpr double never = std::numeric_limits<double>::infinity();

 private:
  bool must_stop();
  void take_steps(const Crew<Space>& crew, int steps, const FlowBranch& flow, double limit, Lead& lead);

  const Communicator& ranks_;
  Run* run_ = nullptr;
  BranchEye<Space>* eye_ = nullptr;
  std::vector<Crew<Space>> crews_;
  Checkpoint state_;
  Diverted records_;  // of the step that is led
  CostClock clock_;
  double cut_at_ = never;        // on the clock
  bool is_interrupted_ = false;  // the run stops
  int asked_ = 0;
};

}  // namespace weir
