#include "miniapps/incompressible/facts.hpp"

namespace weir {

std::vector<double> places_of_unknowns(const Grid& grid, const Layout& layout, int component) {
  const Extents n = component < 3 ? layout.unknowns(component) : layout.cells();
  std::vector<double> places;
  places.reserve(3 * static_cast<std::size_t>(n.count()));
  const auto along = [&](int d, int i) {
    const GridLine& line = grid.line[static_cast<std::size_t>(d)];
    return d == component ? line.faces[static_cast<std::size_t>(i + layout.first(d))]
                          : line.centre[static_cast<std::size_t>(i)];
  };
  for (int k = 0; k < n.nz; ++k)
    for (int j = 0; j < n.ny; ++j)
      for (int i = 0; i < n.nx; ++i) places.insert(places.end(), {along(0, i), along(1, j), along(2, k)});
  return places;
}

}  // namespace weir
