// The solvers of one candidate, one per linear system of the case. For a branch they are swapped into the flow code,
// whose own solvers keep their state and are swapped back afterwards; watches stay with the flow code's solvers.
#pragma once
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "miniapps/study/facility.hpp"

namespace weir {

template <class Space>
class CandidateSolvers {
 public:
  using Make = std::function<StudiedSolver<Space>(const StudiedSystem<Space>&)>;
  // system: the studied one; solver() is the name of its solver.
  CandidateSolvers(std::string name, std::string system, double slowed_by, Make make)
      : name_(std::move(name)), system_(std::move(system)), slowed_by_(slowed_by), make_(std::move(make)) {}

  void add_system(const StudiedSystem<Space>& s) {  // each system, in the flow code's order
    slots_.push_back({s, make_(s), {}});
    Archive state;
    slots_.back().solver.save(state);
    slots_.back().initial_state = state.numbers();
  }
  void stop_when(std::function<bool()> question) {
    should_stop_ = std::move(question);
    for (Slot& s : slots_) s.solver.stop_when(should_stop_);
  }

  // Before a branch: to the initial state; a lagged preconditioner is discarded.
  void reset() {
    for (Slot& s : slots_) {
      if (!s.solver.refresh_policy().is_always())
        s.solver = new_solver(s.system);
      else if (s.solver.remembers())
        s.solver.load(Archive(s.initial_state));
    }
  }
  void renew() {  // makes every solver again
    for (Slot& s : slots_) s.solver = new_solver(s.system);
  }
  void swap() {  // with the flow code's solvers; a second call swaps back
    for (Slot& s : slots_) std::swap(*s.system.reference, s.solver);
  }
  // The solver of the studied system becomes the flow code's own; a new one takes its slot here.
  void make_current() {
    for (Slot& s : slots_) {
      if (s.system.name != system_) continue;
      s.system.reference->swap_state(s.solver);
      s.solver = new_solver(s.system);
    }
  }
  // The flow code repeats a failed solve of the studied system with a solver of this candidate (is_on), or does not.
  void set_fallback(bool is_on) {
    for (Slot& s : slots_) {
      if (s.system.name != system_) continue;
      typename StudiedSolver<Space>::MakeFallback make;
      if (is_on) make = [from = make_, system = s.system] { return from(system); };
      s.system.reference->set_fallback(std::move(make));
    }
  }
  std::int64_t fallbacks() const {  // solves of the system that were repeated so
    std::int64_t sum = 0;
    for (const Slot& s : slots_)
      if (s.system.name == system_) sum += s.system.reference->fallback_solves();
    return sum;
  }

  const std::string& name() const { return name_; }
  double slowed_by() const { return slowed_by_; }
  std::string solver() const {
    for (const Slot& s : slots_)
      if (s.system.name == system_) return s.solver.name();
    return "";
  }
  bool remembers() const {  // a solver depends on earlier systems (recycling, lagged preconditioner)
    return std::ranges::any_of(slots_, [](const Slot& s) { return s.solver.remembers(); });
  }
  std::int64_t bytes() const {  // memory of the set-ups on this rank
    std::int64_t sum = 0;
    for (const Slot& s : slots_) sum += s.solver.setup_info().bytes;
    return sum;
  }

 private:
  struct Slot {
    StudiedSystem<Space> system;
    StudiedSolver<Space> solver;
    std::vector<double> initial_state;
  };
  StudiedSolver<Space> new_solver(const StudiedSystem<Space>& s) const {
    StudiedSolver<Space> solver = make_(s);
    solver.stop_when(should_stop_);
    return solver;
  }

  std::string name_, system_;
  double slowed_by_;
  Make make_;
  std::function<bool()> should_stop_;
  std::vector<Slot> slots_;
};

// Swapped in for the lifetime of this object.
template <class Space>
class ScopedSwap {
 public:
  explicit ScopedSwap(CandidateSolvers<Space>& candidate) : candidate_(candidate) { candidate_.swap(); }
  ~ScopedSwap() { candidate_.swap(); }
  ScopedSwap(const ScopedSwap&) = delete;
  ScopedSwap& operator=(const ScopedSwap&) = delete;

 private:
  CandidateSolvers<Space>& candidate_;
};

}  // namespace weir
