#include <algorithm>

#include "solvers/parallel/halo.hpp"

namespace weir {

HaloPattern make_halo_pattern(const Communicator& ranks, const std::vector<GhostRequest>& ghosts) {
  const auto size = static_cast<std::size_t>(ranks.size());
  std::vector<std::vector<int>> wanted(size), places(size);
  for (const GhostRequest& g : ghosts) {
    wanted[g.owner].push_back(g.index);
    places[g.owner].push_back(g.place);
  }
  const std::vector<std::vector<int>> asked = ranks.exchange(wanted);
  HaloPattern p;
  p.links.send_begin = p.links.receive_begin = {0};
  for (std::size_t r = 0; r < size; ++r) {
    if (wanted[r].empty() && asked[r].empty()) continue;
    p.links.neighbour.push_back(static_cast<int>(r));
    p.send.insert(p.send.end(), asked[r].begin(), asked[r].end());
    p.receive.insert(p.receive.end(), places[r].begin(), places[r].end());
    p.links.send_begin.push_back(static_cast<int>(p.send.size()));
    p.links.receive_begin.push_back(static_cast<int>(p.receive.size()));
  }
  return p;
}

}  // namespace weir
