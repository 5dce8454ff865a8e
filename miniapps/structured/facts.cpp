#include "miniapps/structured/facts.hpp"

#include <memory>

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

std::string name_of_unknown(const Layout& l, int component, int row) {
  const Extents n = component < 3 ? l.unknowns(component) : l.cells();
  int at[3] = {row % n.nx, row / n.nx % n.ny, row / n.nx / n.ny};
  if (component < 3) at[component] += l.first(component);
  return std::string(1, "uvwp"[component]) + " of " + name_of_cell({at[0], at[1], at[2]});
}

std::string name_of_cell(const std::array<int, 3>& at) {
  return "cell (" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " + std::to_string(at[2]) + ")";
}

template <class Space>
std::vector<WatchedVariable> watched_of(Flow<Space>& flow) {
  std::vector<WatchedVariable> all;
  const auto watch = [&](char name, Array<double, Space>& field) {
    WatchedVariable v;
    v.name = std::string(1, name);
    v.range = [&field] { return range_of<Space>(field.view()); };
    v.values = [&flow, &field] {
      const Layout& l = flow.layout;
      const std::vector<double> padded = field.to_vector();
      const Field<const double> f(padded.data() + l.origin(), l.stride(1), l.stride(2));
      std::vector<double> values;
      for (int k = 0; k < l.n[2]; ++k)
        for (int j = 0; j < l.n[1]; ++j)
          for (int i = 0; i < l.n[0]; ++i) values.push_back(f(i, j, k));
      return values;
    };
    v.place = [&flow](std::int64_t index) {
      const int i = static_cast<int>(index), *n = flow.layout.n, *low = flow.layout.low;
      return name_of_cell({low[0] + i % n[0], low[1] + i / n[0] % n[1], low[2] + i / n[0] / n[1]});
    };
    all.push_back(std::move(v));
  };
  for (int c = 0; c < flow.layout.dim; ++c) watch("uvw"[c], flow.velocity[c]);
  watch('p', flow.p);
  return all;
}

template std::vector<WatchedVariable> watched_of(Flow<Host>&);
template std::vector<WatchedVariable> watched_of(Flow<Device>&);

std::vector<CellField> pictures_of(std::vector<RowField> fields, const Extents& cells) {
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
