// The solvers of one candidate, one per linear system of the case. For a branch they are swapped into the flow code,
// whose own solvers keep their state and are swapped back afterwards; watches stay with the flow code's solvers.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "miniapps/study/facility.hpp"

namespace weir {

template <class Space>
class CandidateSolvers {
 public:
  using Make = std::function<LinearSolver<Space>(const StudiedSystem<Space>&)>;
  // system: the studied one; solver() is the name of its solver.
  CandidateSolvers(std::string name, std::string system, double slowed_by, Make make)
      : name_(std::move(name)), system_(std::move(system)), slowed_by_(slowed_by), make_(std::move(make)) {}

  void add_system(const StudiedSystem<Space>& s);  // each system, in the flow code's order
  void stop_when(std::function<bool()> question);

  void reset();  // before a branch: to the initial state; a lagged preconditioner is discarded
  void renew();  // makes every solver again
  void swap();   // with the flow code's solvers; a second call swaps back
  // The solver of the studied system becomes the flow code's own; a new one takes its slot here.
  void make_current();
  // The flow code repeats a failed solve of the studied system with a solver of this candidate (is_on), or does not.
  void set_fallback(bool is_on);
  std::int64_t fallbacks() const;  // solves of the system that were repeated so

  const std::string& name() const { return name_; }
  double slowed_by() const { return slowed_by_; }
  std::string solver() const;
  bool remembers() const;      // a solver depends on earlier systems (recycling, lagged preconditioner)
  std::int64_t bytes() const;  // memory of the set-ups on this rank

 private:
  LinearSolver<Space> new_solver(const StudiedSystem<Space>& s) const;
  struct Slot {
    StudiedSystem<Space> system;
    LinearSolver<Space> solver;
    std::vector<double> initial_state;
  };
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
