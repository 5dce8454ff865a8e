#include "miniapps/study/relay/candidate_solvers.hpp"

#include <algorithm>

namespace weir {

template <class Space>
void CandidateSolvers<Space>::add_system(const StudiedSystem<Space>& s) {
  slots_.push_back({s, make_(s), {}});
  Archive state;
  slots_.back().solver.save(state);
  slots_.back().initial_state = state.numbers();
}

template <class Space>
void CandidateSolvers<Space>::stop_when(std::function<bool()> question) {
  should_stop_ = std::move(question);
  for (Slot& s : slots_) s.solver.stop_when(should_stop_);
}

template <class Space>
LinearSolver<Space> CandidateSolvers<Space>::new_solver(const StudiedSystem<Space>& s) const {
  LinearSolver<Space> solver = make_(s);
  solver.stop_when(should_stop_);
  return solver;
}

template <class Space>
void CandidateSolvers<Space>::reset() {
  for (Slot& s : slots_) {
    if (!s.solver.lifetime().is_always())
      s.solver = new_solver(s.system);
    else if (s.solver.remembers())
      s.solver.load(Archive(s.initial_state));
  }
}

template <class Space>
void CandidateSolvers<Space>::swap() {
  for (Slot& s : slots_) std::swap(*s.system.reference, s.solver);
}

template <class Space>
void CandidateSolvers<Space>::renew() {
  for (Slot& s : slots_) s.solver = new_solver(s.system);
}

template <class Space>
void CandidateSolvers<Space>::make_current() {
  for (Slot& s : slots_) {
    if (s.system.name != system_) continue;
    s.system.reference->change_places(s.solver);
    s.solver = new_solver(s.system);
  }
}

template <class Space>
void CandidateSolvers<Space>::set_fallback(bool is_on) {
  for (Slot& s : slots_) {
    if (s.system.name != system_) continue;
    typename LinearSolver<Space>::MakeHelp make;
    if (is_on) make = [from = make_, system = s.system] { return from(system); };
    s.system.reference->help_by(std::move(make));
  }
}

template <class Space>
std::int64_t CandidateSolvers<Space>::fallbacks() const {
  std::int64_t sum = 0;
  for (const Slot& s : slots_)
    if (s.system.name == system_) sum += s.system.reference->helped();
  return sum;
}

template <class Space>
std::string CandidateSolvers<Space>::solver() const {
  for (const Slot& s : slots_)
    if (s.system.name == system_) return s.solver.name();
  return "";
}

template <class Space>
bool CandidateSolvers<Space>::remembers() const {
  return std::any_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.solver.remembers(); });
}

template <class Space>
std::int64_t CandidateSolvers<Space>::bytes() const {
  std::int64_t sum = 0;
  for (const Slot& s : slots_) sum += s.solver.setup_info().bytes;
  return sum;
}

template class CandidateSolvers<Host>;
template class CandidateSolvers<Device>;

}  // namespace weir
