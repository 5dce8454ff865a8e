#include "mesh/generate/sheet.hpp"

#include <algorithm>
#include <cmath>

#include "mesh/generate/predicates.hpp"

namespace weir {
namespace {

// A random number in [-1, 1) from a counter (splitmix64, Steele, Lea & Flood 2014), the same on every machine.
double random_number(std::uint64_t counter) {
  std::uint64_t z = (counter + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1.0p-52 - 1;
}

void add_cells(const Sheet& s, MeshDescription& out) {
  const bool quads = s.shape == CellShape::quads;
  const auto cells = static_cast<std::size_t>(s.nx) * static_cast<std::size_t>(s.ny);
  out.cell_start.reserve(cells * (quads ? 1 : 2) + 1);
  out.cell_node.reserve(cells * (quads ? 4 : 6));
  for (int j = 0; j < s.ny; ++j)
    for (int i = 0; i < s.nx; ++i) {
      const int a = s.index(i, j), b = s.index(i + 1, j), c = s.index(i + 1, j + 1), d = s.index(i, j + 1);
      if (quads) {
        out.add_cell(a, b, c, d);
      } else if (s.shape == CellShape::triangles && (i + j) % 2) {
        out.add_cell(a, b, d);
        out.add_cell(b, c, d);
      } else {
        out.add_cell(a, b, c);
        out.add_cell(a, c, d);
      }
    }
}

}  // namespace

Sheet::Sheet(int nx_, int ny_, CellShape shape_, bool wraps_) : nx(nx_), ny(ny_), wraps(wraps_), shape(shape_) {
  node.resize(static_cast<std::size_t>(columns()) * static_cast<std::size_t>(ny + 1));
}

void Sheet::jitter(double fraction, std::uint64_t seed) {
  if (fraction == 0) return;
  const auto before = node;
  const auto old = [&](int i, int j) { return before[index(i, j)]; };
  for (int j = 1; j < ny; ++j)
    for (int i = wraps ? 0 : 1; i < nx; ++i) {
      const auto here = old(i, j);
      const double room = std::min({distance(here, old(i + 1, j)), distance(here, old(wraps ? i + nx - 1 : i - 1, j)),
                                    distance(here, old(i, j + 1)), distance(here, old(i, j - 1))});
      const auto counter = 2 * (static_cast<std::uint64_t>(index(i, j)) + (seed << 32));
      at(i, j) = {here[0] + fraction * room * random_number(counter) * std::sqrt(0.5),
                  here[1] + fraction * room * random_number(counter + 1) * std::sqrt(0.5)};
    }
}

MeshDescription describe(const Sheet& s, const std::vector<SheetPatch>& patches) {
  MeshDescription out;
  out.node = s.node;
  add_cells(s, out);
  if (s.shape == CellShape::quads) out.grid = {s.ny, s.nx};
  for (const SheetPatch& patch : patches) {
    const auto known = std::ranges::find(out.marker, patch.name);
    const int marker =
        known != out.marker.end() ? static_cast<int>(known - out.marker.begin()) : out.add_marker(patch.name);
    const bool vertical = is_vertical(patch.side);
    const int n = vertical ? s.ny : s.nx, end = patch.count < 0 ? n : patch.first + patch.count;
    const int fixed = patch.side == SheetSide::right ? s.nx : patch.side == SheetSide::top ? s.ny : 0;
    for (int k = patch.first; k < end; ++k)
      if (vertical)
        out.add_edge(s.index(fixed, k), s.index(fixed, k + 1), marker);
      else
        out.add_edge(s.index(k, fixed), s.index(k + 1, fixed), marker);
  }
  return out;
}

}  // namespace weir
