// Solvers for all systems of a case. A crew leads a branch by changing places with the flow code's own solvers: those wait
// untouched, with all they know, and what hangs on them hears nothing of the branch.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "miniapps/study/facility.hpp"

namespace weir {

template <class Space>
class Crew {
 public:
  using Make = std::function<LinearSolver<Space>(const StudiedSystem<Space>&)>;
  // system: the one that is studied, which names the crew's solver.
  Crew(std::string name, std::string system, double slowed_by, Make make)
      : name_(std::move(name)), system_(std::move(system)), slowed_by_(slowed_by), make_(std::move(make)) {}

  // Each system, in the flow code's order.
  void join(const StudiedSystem<Space>& s);
  void stop_when(std::function<bool()> question);

  // Before a branch: what was learnt on the one before is forgotten. A preconditioner that outlives its matrix (refresh)
  // begins anew, others follow every matrix.
  void begin();
  void change_places() {  // and back
    for (Seat& s : seats_) std::swap(*s.system.leader, s.solver);
  }

  void begin_anew();  // every solver
  // From here on the crew's solver of the system leads the run itself, and a new one waits in its place.
  void take_lead();
  // Where whoever leads the system fails, the solver that this crew would make is asked; where not on: nobody.
  void help_leader(bool is_on);
  std::int64_t helped() const;  // solves of the system, whoever led

  const std::string& name() const { return name_; }
  double slowed_by() const { return slowed_by_; }
  std::string solver() const;
  bool remembers() const;      // the systems before, on any of them
  std::int64_t bytes() const;  // of what is set up, of this rank

 private:
  LinearSolver<Space> new_solver(const StudiedSystem<Space>& s) const;
  struct Seat {
    StudiedSystem<Space> system;
    LinearSolver<Space> solver;
    std::vector<double> knows_nothing;  // its state when it was made
  };
  std::string name_, system_;
  double slowed_by_;
  Make make_;
  std::function<bool()> should_stop_;
  std::vector<Seat> seats_;
};

// In place for as long as it lives.
template <class Space>
class InPlace {
 public:
  explicit InPlace(Crew<Space>& crew) : crew_(crew) { crew_.change_places(); }
  ~InPlace() { crew_.change_places(); }
  InPlace(const InPlace&) = delete;
  InPlace& operator=(const InPlace&) = delete;

 private:
  Crew<Space>& crew_;
};

}  // namespace weir
