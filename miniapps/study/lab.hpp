// [shadow]: the systems of a run solved by other solvers as well, recorded, compared.
//   [shadow]       system = "pressure", solvers = ["name", ...], every = 10 (0: off), seed = 1
//   [shadow.NAME]  like [linear.SYSTEM]; what stops a solve (tolerance, norm, ...) is the leader's where nothing is said
// shadow.csv holds a row a solver and system; shadow_summary.csv what the pairs say (miniapps/study/statistics.hpp).
//
//   Lab<Space> lab(config, {"momentum", "pressure"});
//   lab.attach("pressure", solver, linear.table("pressure"), "fast_poisson", "jacobi");  // each system; before run.begin
//   lab.open(run);                                                                       // after run.begin
//   lab.begin_step(step) ... lab.finish(run)
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "miniapps/study/shadow.hpp"
#include "postproc/records.hpp"
#include "postproc/run.hpp"
#include "solvers/linear_solver.hpp"

namespace weir {

template <class Space>
class Lab {
 public:
  Lab(const Table& config, const std::vector<std::string>& systems);  // what the flow code solves
  Lab(const Lab&) = delete;                                           // the leaders know where their watch is
  Lab& operator=(const Lab&) = delete;

  // A solver of the flow code, with the table and the defaults it was made from; it must outlive the lab's steps.
  void attach(const std::string& system, LinearSolver<Space>& leader, const Table& options,
              const std::string& default_method, const std::string& default_preconditioner, double default_tolerance);
  void open(Run& run);
  void begin_step(std::int64_t step);  // before its first solve
  void finish(Run& run);               // the summary, into the log and shadow_summary.csv

 private:
  struct Series {
    std::vector<double> seconds;
    std::int64_t iterations = 0;
    int failures = 0;
  };
  void keep(const ShadowRecord& record);

  Table options_;
  std::string system_;
  std::vector<std::string> contenders_;
  std::int64_t every_ = 0;
  std::uint64_t seed_ = 1;
  std::unique_ptr<Shadow<Space>> shadow_;
  std::string leader_name_;
  std::vector<std::string> names_, solvers_;
  std::vector<Series> series_;
  LineFile rows_;
};

}  // namespace weir
