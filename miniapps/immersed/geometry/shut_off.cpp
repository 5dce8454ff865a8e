#include "miniapps/immersed/geometry/shut_off.hpp"

#include <cmath>

#include "miniapps/structured/sides/read_sides.hpp"

namespace weir {
namespace {

struct Part {
  bool has_outlet = false;
  double inflow = 0, size = 0;  // sum of the fluxes through its sides, and of their magnitudes
  int side = -1;                // of an inflow
};

class Search {
 public:
  Search(const CutGeometry& cut, const IncompressibleCase& c, const std::array<std::vector<double>, 3>& velocity)
      : cut_(cut), c_(c), velocity_(velocity), seen_(cut.wet.size(), false) {}

  Part part_from(int start) {
    Part part;
    std::vector<int> todo{start};
    seen_[static_cast<std::size_t>(start)] = true;
    const Layout& l = cut_.layout();
    while (!todo.empty()) {
      const int cell = todo.back(), at[3] = {cell % l.n[0], cell / l.n[0] % l.n[1], cell / (l.n[0] * l.n[1])};
      todo.pop_back();
      for (int side = 0; side < 2 * l.dim; ++side) {
        const int d = side / 2, end = side % 2, face = l.padded_index(at[0], at[1], at[2]) + end * l.stride(d);
        const double open = cut_.alpha[static_cast<std::size_t>(d)][static_cast<std::size_t>(face)];
        if (!(open > 0)) continue;
        int next[3] = {at[0], at[1], at[2]};
        next[d] += end == 0 ? -1 : 1;
        if (next[d] < 0 || next[d] >= l.n[d]) {
          if (!l.periodic[d]) add_side(side, at, open * velocity_[static_cast<std::size_t>(d)][face], part);
          next[d] = (next[d] + l.n[d]) % l.n[d];
          if (!l.periodic[d]) continue;
        }
        const auto there = static_cast<std::size_t>(l.cells().index(next[0], next[1], next[2]));
        if (seen_[there] || cut_.wet[there] == dry_cell) continue;
        seen_[there] = true;
        todo.push_back(static_cast<int>(there));
      }
    }
    return part;
  }
  bool is_new(int cell) const {
    const auto n = static_cast<std::size_t>(cell);
    return !seen_[n] && cut_.wet[n] != dry_cell;
  }

 private:
  void add_side(int side, const int (&at)[3], double velocity, Part& part) const {
    const int d = side / 2, d1 = d == 0 ? 1 : 0, d2 = d == 2 ? 1 : 2;
    double flux = side % 2 == 0 ? velocity : -velocity;
    for (const int across : {d1, d2})
      if (across < c_.dim()) flux *= c_.grid.line[static_cast<std::size_t>(across)].width[at[across]];
    for (const SidePatch& p : c_.patches)
      if (p.side == side && p.type == SidePatch::Type::outlet && p.holds(d1, at[d1], d2, at[d2])) {
        part.has_outlet = true;
        return;
      }
    part.inflow += flux;
    part.size += std::abs(flux);
    if (flux != 0) part.side = side;
  }

  const CutGeometry& cut_;
  const IncompressibleCase& c_;
  const std::array<std::vector<double>, 3>& velocity_;
  std::vector<bool> seen_;
};

}  // namespace

std::string shut_off_inflow(const CutGeometry& cut, const IncompressibleCase& c,
                            const std::array<std::vector<double>, 3>& velocity) {
  constexpr double rounding = 1e-6;
  Search search(cut, c, velocity);
  for (int cell = 0; cell < static_cast<int>(cut.wet.size()); ++cell) {
    if (!search.is_new(cell)) continue;
    const Part part = search.part_from(cell);
    if (!part.has_outlet && std::abs(part.inflow) > rounding * part.size) return side_names[part.side];
  }
  return "";
}

}  // namespace weir
