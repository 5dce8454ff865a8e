// The candidates of [relay] and [select].
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "inputs/case.hpp"
#include "miniapps/study/relay/branch_observer.hpp"
#include "miniapps/study/relay/candidate_solvers.hpp"
#include "miniapps/study/select/auto_candidates.hpp"
#include "miniapps/study/shadow/reference_solver.hpp"

namespace weir {

// The candidates of a table: [TABLE.NAME] with the keys of [linear.SYSTEM] and candidate_options().
template <class Space>
class Candidates {
 public:
  // table: [relay] or [select]; its key `solvers` has the names. If it is empty, the table is ignored.
  // automatic: the system with method = "auto"; its candidates are auto_candidates() unless the table names some.
  Candidates(const Table& table, const std::vector<std::string>& systems, const std::string& automatic = "")
      : table_(table), names_(table.get<std::vector<std::string>>("solvers", {})) {
    for (const auto& name : names_)
      if (!table_.is_table(name)) table_.fail("solvers", "no table of the name '" + name + "' defines it");
    is_automatic_ = names_.empty() && !automatic.empty();
    if (is_automatic_)
      for (const AutoCandidate& c : auto_candidates()) names_.emplace_back(c.name);
    if (names_.empty()) {
      table_.get<std::string>("system", "");
      return;
    }
    system_ = automatic.empty() || table_.has("system") ? read_system(table_, systems) : automatic;
    if (!automatic.empty() && system_ != automatic)
      table_.fail("system",
                  "'system' must be '" + automatic + "', because [linear." + automatic + "] has method = \"auto\"");
  }
  const std::string& system() const { return system_; }
  const std::vector<std::string>& names() const { return names_; }
  bool is_automatic() const { return is_automatic_; }

  void refuse_unfit(const SystemDefaults& s) const {  // Error(usage)
    if (s.name != system_ || is_automatic_) return;
    for (const auto& name : names_) {
      const Table options = options_of(name);
      if (is_reference(options)) continue;
      s.refuse_unfit(options);
      StudiedSolver<Space>(options, s.method, s.preconditioner, KrylovOptions{});
    }
  }
  // Why an automatic candidate is unsuitable; empty: it is suitable.
  std::string why_left_out(const std::string& name, const StudiedSystem<Space>& s) const {
    for (const AutoCandidate& c : auto_candidates())
      if (name == c.name && !(c.matrices & s.matrix)) return "not a candidate for this kind of matrix";
    const Table options = options_of(name);
    try {
      weir::refuse_unfit(options, s.default_method, s.default_preconditioner, s.matrix, s.is_symmetric);
      const StudiedSolver<Space> solver(options, s.default_method, s.default_preconditioner);
      return solver.name() == s.reference->name() ? "same as the default" : "";
    } catch (const Error& error) {
      return error.what();
    }
  }

  // The solvers of [TABLE.NAME], and those of the reference solver itself; observer: watches the studied system.
  CandidateSolvers<Space> solvers(const std::string& name, const Communicator& ranks,
                                  BranchObserver<Space>* observer = nullptr) const {
    const Table options = options_of(name);
    const auto slowed_by = options.get<double>("slowed_by", 0.0);
    const bool is_copy = is_reference(options);
    const auto make = [=, system = system_, &ranks](const StudiedSystem<Space>& s) {
      if (is_copy || s.name != system) return reference_solver(s, ranks);
      return solver_of(s, options, stopping_test_of(s.options, KrylovOptions{s.default_tolerance}), ranks);
    };
    return {name, system_, slowed_by, observed_by(observer, make)};
  }
  CandidateSolvers<Space> reference(const std::string& name, const Communicator& ranks,
                                    BranchObserver<Space>* observer = nullptr) const {
    return {name, system_, 0,
            observed_by(observer, [&ranks](const StudiedSystem<Space>& s) { return reference_solver(s, ranks); })};
  }

 private:
  static StudiedSolver<Space> solver_of(const StudiedSystem<Space>& s, const Table& options, const KrylovOptions& with,
                                        const Communicator& ranks) {
    StudiedSolver<Space> solver(options, s.default_method, s.default_preconditioner, with);
    if (ranks.size() > 1) {
      solver.refresh_policy().require_always(options);
      solver.spread_like(*s.reference);
    }
    return solver;
  }

  static StudiedSolver<Space> reference_solver(const StudiedSystem<Space>& s, const Communicator& ranks) {
    return solver_of(s, s.options, KrylovOptions{s.default_tolerance}, ranks);
  }
  Table options_of(const std::string& name) const {
    for (const AutoCandidate& c : auto_candidates())
      if (is_automatic_ && name == c.name) return read_case_text(c.options, "method = \"auto\"");
    const Table options = table_.table(name);
    options.described_by(candidate_options()).get<double>("slowed_by");
    return options;
  }
  // If a system has several parts, the first one is observed.
  typename CandidateSolvers<Space>::Make observed_by(BranchObserver<Space>* observer,
                                                     typename CandidateSolvers<Space>::Make make) const {
    if (!observer) return make;
    return [observer, system = system_, make = std::move(make)](const StudiedSystem<Space>& s) {
      StudiedSolver<Space> solver = make(s);
      if (s.name == system && s.part == 0) observer->watch(solver, *s.reference);
      return solver;
    };
  }

  Table table_;
  std::string system_;
  std::vector<std::string> names_;
  bool is_automatic_ = false;
};

}  // namespace weir
