#include "miniapps/structured/facts.hpp"

namespace weir {

std::vector<double> places_of_unknowns(const Grid& grid, const Layout& layout, int component) {
  const Extents n = component < 3 ? layout.unknowns(component) : layout.cells();
  std::vector<double> places;
  places.reserve(3 * static_cast<std::size_t>(n.count()));
  const auto along = [&](int d, int i) {
    const GridLine& line = grid.line[d];
    return d == component ? line.faces[i + layout.first(d)] : line.centre[i];
  };
  for (int k = 0; k < n.nz; ++k)
    for (int j = 0; j < n.ny; ++j)
      for (int i = 0; i < n.nx; ++i) places.insert(places.end(), {along(0, i), along(1, j), along(2, k)});
  return places;
}

std::string name_of_unknown(const Layout& l, int component, int row) {
  const Extents n = component < 3 ? l.unknowns(component) : l.cells();
  int at[3] = {row % n.nx, row / n.nx % n.ny, row / n.nx / n.ny};
  if (component < 3) at[component] += l.first(component);
  return std::string(1, "uvwp"[component]) + " of " + cell_name({at[0], at[1], at[2]});
}

}  // namespace weir
