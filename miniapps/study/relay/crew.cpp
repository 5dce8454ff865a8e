#include "miniapps/study/relay/crew.hpp"

#include <algorithm>

namespace weir {

template <class Space>
void Crew<Space>::join(const StudiedSystem<Space>& s) {
  seats_.push_back({s, make_(s), {}});
  Archive state;
  seats_.back().solver.save(state);
  seats_.back().knows_nothing = state.numbers();
}

template <class Space>
void Crew<Space>::stop_when(std::function<bool()> question) {
  should_stop_ = std::move(question);
  for (Seat& s : seats_) s.solver.stop_when(should_stop_);
}

template <class Space>
LinearSolver<Space> Crew<Space>::new_solver(const StudiedSystem<Space>& s) const {
  LinearSolver<Space> solver = make_(s);
  solver.stop_when(should_stop_);
  return solver;
}

template <class Space>
void Crew<Space>::begin() {
  for (Seat& s : seats_) {
    if (!s.solver.refresh_policy().is_always())
      s.solver = new_solver(s.system);
    else if (s.solver.remembers())
      s.solver.load(Archive(s.knows_nothing));  // recycled spaces, earlier solutions
  }
}

template <class Space>
void Crew<Space>::begin_anew() {
  for (Seat& s : seats_) s.solver = new_solver(s.system);
}

template <class Space>
void Crew<Space>::take_lead() {
  for (Seat& s : seats_) {
    if (s.system.name != system_) continue;
    s.system.leader->change_places(s.solver);
    s.solver = new_solver(s.system);
  }
}

template <class Space>
void Crew<Space>::help_leader(bool is_on) {
  for (Seat& s : seats_) {
    if (s.system.name != system_) continue;
    typename LinearSolver<Space>::MakeHelp make;
    if (is_on) make = [from = make_, system = s.system] { return from(system); };
    s.system.leader->help_by(std::move(make));
  }
}

template <class Space>
std::int64_t Crew<Space>::helped() const {
  std::int64_t sum = 0;
  for (const Seat& s : seats_)
    if (s.system.name == system_) sum += s.system.leader->helped();
  return sum;
}

template <class Space>
std::string Crew<Space>::solver() const {
  for (const Seat& s : seats_)
    if (s.system.name == system_) return s.solver.name();
  return "";
}

template <class Space>
bool Crew<Space>::remembers() const {
  return std::any_of(seats_.begin(), seats_.end(), [](const Seat& s) { return s.solver.remembers(); });
}

template <class Space>
std::int64_t Crew<Space>::bytes() const {
  std::int64_t sum = 0;
  for (const Seat& s : seats_) sum += s.solver.setup_info().bytes;
  return sum;
}

template class Crew<Host>;
template class Crew<Device>;

}  // namespace weir
