#include "miniapps/structured/facts.hpp"

#include <memory>

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

std::vector<CellField> cell_fields_of(std::vector<RowField> fields, const Extents& cells) {
  std::vector<CellField> pictures;
  for (RowField& field : fields) {
    if (field.second.size() != static_cast<std::size_t>(cells.count())) continue;
    const auto values = std::make_shared<const std::vector<double>>(std::move(field.second));
    pictures.push_back({field.first, 1, [values](int k, std::span<double> slab) {
                          const auto first = static_cast<std::size_t>(k) * slab.size();
                          for (std::size_t i = 0; i < slab.size(); ++i) slab[i] = (*values)[first + i];
                        }});
  }
  return pictures;
}

}  // namespace weir
