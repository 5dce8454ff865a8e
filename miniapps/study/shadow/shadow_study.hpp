// [shadow]: the systems of a run solved by other solvers as well, recorded, compared.
//   [shadow]       system = "pressure", solvers = ["name", ...], every = 10 (0: off), seed = 1,
//                  repeats = 1 (solves of each a system; their median counts)
//   [shadow.NAME]  like [linear.SYSTEM]; what stops a solve (tolerance, norm, ...) is the reference solver's by
//                  default;
//                  a candidate of a library that this build lacks is left out, and over ranks one of any other
//                  library; the log says so.
//                  like_leader = true: [linear.SYSTEM] itself; slowed_by = 0.05: made slower by that part of its time
// shadow.csv holds a row a solver and system, and one of the reference solver's own solve ("in the flow");
// shadow_summary.csv what the pairs say (statistics.hpp);
// shadow_curves.csv the residuals of some solves, iteration by iteration.
// Of systems that share a name, which are alike, the first is taken. Over ranks all solve, rank 0 writes.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "miniapps/study/facility.hpp"
#include "miniapps/study/shadow/shadow_series.hpp"
#include "postproc/run/records.hpp"

namespace weir {

Options shadow_options();     // of [shadow]
Options candidate_options();  // of [shadow.NAME], beside those of [linear.SYSTEM]

template <class Space>
class ShadowStudy : public Facility<Space> {
 public:
  ShadowStudy(const Table& config, const std::vector<std::string>& systems, const Communicator& ranks);

  void describe(const FlowFacts<Space>& facts) override { variables_ = facts.watched; }
  void attach(const StudiedSystem<Space>& system) override;
  // The candidates' options alone; the defaults are the system's.
  void read(const std::string& system, const std::string& method, const std::string& preconditioner);
  void open(Run& run) override;
  void begin_step(std::int64_t step) override;
  void finish(Run& run) override;  // the summary, into the log and shadow_summary.csv

 private:
  void leave_out_peers();
  void keep(const ShadowRecord& record);
  void write(const ShadowRecord& record);
  void keep_curve(const ShadowRecord& record);

  Table options_;
  const Communicator& ranks_;
  std::string system_;
  std::vector<std::string> candidates_, left_out_;  // those of other libraries that cannot take part, why
  std::int64_t every_ = 0;
  int repeats_ = 1;
  std::uint64_t seed_ = 1;
  std::vector<WatchedVariable> variables_;  // of the flow's state
  std::unique_ptr<Shadow<Space>> shadow_;
  std::string why_not_the_same_;  // the replicas' answers as the reference solver's; empty: they should be
  std::vector<std::string> names_, solvers_;
  ShadowSeries series_;
  Run* run_ = nullptr;
  LineFile rows_, curves_;
};

}  // namespace weir
