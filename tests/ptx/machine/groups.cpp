// Groups of lanes: which goes on, where they meet, how they fall apart.
#include <algorithm>

#include "tests/ptx/machine/scheduler.hpp"

namespace weir::ptx {

void Scheduler::count_runnable(Warp& w) {
  w.runnable = static_cast<int>(
      std::count_if(w.groups.begin(), w.groups.end(), [](const Group& g) { return g.state == Group::runs; }));
}

void Scheduler::merge(Warp& w) {
  const bool torn = options.schedule == Schedule::lanes;
  for (std::size_t a = 0; a < w.groups.size(); ++a)
    for (std::size_t b = w.groups.size(); b-- > a + 1;) {
      Group &first = w.groups[a], &second = w.groups[b];
      if (first.state != Group::runs || second.state != Group::runs || !first.same_place(second)) continue;
      if (torn && one_in(2)) continue;
      first.lanes |= second.lanes;
      w.groups.erase(w.groups.begin() + static_cast<std::ptrdiff_t>(b));
    }
  count_runnable(w);
}

void Scheduler::split(Warp& w, std::size_t k, u32 away, int at) {
  Group other = w.groups[k];
  w.groups[k].lanes &= ~away;
  other.lanes = away;
  other.at = at;
  w.groups.push_back(std::move(other));
  ++w.runnable;
}

void Scheduler::tear(Warp& w, std::size_t k) const {
  const u32 all = w.groups[k].lanes;
  if ((all & (all - 1)) == 0 || !one_in(4)) return;
  const u32 away = all & static_cast<u32>(random_number());
  if (away && away != all) split(w, k, away, w.groups[k].at);
}

std::size_t Scheduler::choose(const Warp& w, bool any) const {
  if (any || options.schedule == Schedule::lanes) {
    u64 k = random_number() % static_cast<u64>(w.runnable);
    for (std::size_t g = 0; g < w.groups.size(); ++g)
      if (w.groups[g].state == Group::runs && k-- == 0) return g;
  }
  std::size_t best = w.groups.size();
  for (std::size_t g = 0; g < w.groups.size(); ++g) {
    if (w.groups[g].state != Group::runs) continue;
    if (best == w.groups.size()) best = g;
    const std::size_t depth = w.groups[g].calls.size(), deepest = w.groups[best].calls.size();
    if (depth > deepest || (depth == deepest && w.groups[g].at < w.groups[best].at)) best = g;
  }
  return best;
}

// The next place ahead where another group stands: there both may go on together. -1: none.
int Scheduler::meeting_place(const Warp& w, std::size_t k) const {
  if (options.schedule == Schedule::lanes) return -1;
  const Group& here = w.groups[k];
  int place = -1;
  for (std::size_t g = 0; g < w.groups.size(); ++g) {
    const Group& other = w.groups[g];
    if (g != k && other.function == here.function && other.at > here.at && (place < 0 || other.at < place))
      place = other.at;
  }
  return place;
}

}  // namespace weir::ptx
