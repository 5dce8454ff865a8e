// The memory of a level: 1D arrays of the operator and of the exchange with the coarser level, uploaded once.
#include <algorithm>

#include "solvers/preconditioner/multigrid/multigrid_kernels.hpp"
#include "solvers/preconditioner/multigrid/multigrid_levels.hpp"

namespace weir::multigrid {
namespace {

using Index = std::size_t;

// Where the arrays of a direction begin in a level's coefficients.
struct Layout {
  Index x[3], y[3], z[3], size;
};
template <class T>
Layout layout(const LevelView<T>& v) {
  Layout l{};
  Index at = 0;
  for (Index a = 0; a < 3; ++a, at += 2 * static_cast<Index>(v.pitch)) l.x[a] = at;
  for (Index a = 0; a < 3; ++a, at += static_cast<Index>(v.Y.n)) l.y[a] = at;
  for (Index a = 0; a < 3; ++a, at += static_cast<Index>(v.Z.n)) l.z[a] = at;
  l.size = at;
  return l;
}

template <class T, class Space>
void add_masses(const GridLevel& grid, Level<T, Space>& level) {
  LevelView<T>& v = level.view;
  const auto &x = grid.line[0].d.mass, &y = grid.line[1].d.mass, &z = grid.line[2].d.mass;
  std::vector<double> all(x);
  all.insert(all.end(), y.begin(), y.end());
  all.insert(all.end(), z.begin(), z.end());
  const auto halves = all.size();
  all.resize(halves + 2 * static_cast<Index>(v.pitch), 0.0);
  for (int i = 0; i < v.X.n; ++i) all[halves + static_cast<Index>(v.half_of_axis(i))] = 1 / x[static_cast<Index>(i)];
  level.masses = Array<double, Space>(all);
  v.X.mass = level.masses.data();
  v.Y.mass = v.X.mass + x.size();
  v.Z.mass = v.Y.mass + y.size();
  v.X.inverse_mass = v.X.mass + halves;
}

// Appends a direction's arrays; the views' pointers are offsets until all are known.
template <class T>
struct ExchangeBuilder {
  std::vector<int> indices;
  std::vector<T> weights;

  template <class U, class V>
  static Index append(std::vector<U>& all, const std::vector<V>& v) {
    const Index at = all.size();
    for (const auto& e : v) all.push_back(static_cast<U>(e));
    return at;
  }
};

template <class T, class Space>
void add_exchange(const GridLevel& grid, Level<T, Space>& level) {
  ExchangeBuilder<T> b;
  TransferView<T>* const views[3] = {&level.exchange.X, &level.exchange.Y, &level.exchange.Z};
  Index at[3][6];
  for (Index d = 0; d < 3; ++d) {
    const LineTransfer& t = grid.transfer[d];
    at[d][0] = b.append(b.indices, t.parent);
    at[d][1] = b.append(b.indices, t.other);
    at[d][2] = b.append(b.indices, t.first);
    at[d][3] = b.append(b.weights, t.weight_parent);
    at[d][4] = b.append(b.weights, t.weight_other);
    at[d][5] = b.append(b.weights, t.restriction);
    views[d]->fine = t.fine();
    views[d]->coarse = t.coarse();
  }
  level.indices = Array<int, Space>(b.indices);
  level.weights = Array<T, Space>(b.weights);
  for (Index d = 0; d < 3; ++d) {
    views[d]->parent = level.indices.data() + at[d][0];
    views[d]->other = level.indices.data() + at[d][1];
    views[d]->first = level.indices.data() + at[d][2];
    views[d]->weight_parent = level.weights.data() + at[d][3];
    views[d]->weight_other = level.weights.data() + at[d][4];
    views[d]->restriction = level.weights.data() + at[d][5];
  }
}

}  // namespace

int half_pitch(int nx) { return ((nx + 1) / 2 + 2 + 7) / 8 * 8; }

template <class T, class Space>
Level<T, Space> make_level(const GridLevel& grid, bool fused) {
  Level<T, Space> level;
  LevelView<T>& v = level.view;
  AxisView<T>* const axes[3] = {&v.X, &v.Y, &v.Z};
  for (Index d = 0; d < 3; ++d) {
    axes[d]->n = grid.line[d].size();
    axes[d]->periodic = grid.line[d].d.periodic;
  }
  level.two_colours = grid.two_colours;
  level.colour = grid.colour;
  v.own = {v.X.n, v.Y.n, v.Z.n};
  v.pitch = half_pitch(v.X.n);
  const int n = 2 * v.pitch * v.Y.n * v.Z.n, vectors = fused && level.two_colours ? 2 : 4;
  level.values = Array<T, Space>(std::int64_t{1} * vectors * n);
  v.u = level.values.data();
  v.g = v.u + n;
  if (vectors == 4) {
    v.w = v.g + n;
    v.p = v.w + n;
  }
  if constexpr (std::is_same_v<Space, Device>) {
    for (int a = 0; a < vectors; ++a) clear<Space>(v.u + std::int64_t{1} * a * n, n);
  }
  const Layout l = layout(v);
  level.coefficients_on_host.assign(l.size, 0);
  level.coefficients = Array<T, Space>(static_cast<std::int64_t>(l.size));
  const T* c = level.coefficients.data();
  v.X.low = c + l.x[0], v.X.up = c + l.x[1], v.X.diagonal = c + l.x[2];
  v.Y.low = c + l.y[0], v.Y.up = c + l.y[1], v.Y.diagonal = c + l.y[2];
  v.Z.low = c + l.z[0], v.Z.up = c + l.z[1], v.Z.diagonal = c + l.z[2];
  add_masses(grid, level);
  if (grid.transfer[0].fine() > 0) {
    add_exchange(grid, level);
    if (fused) level.row = make_row_exchange<T>(grid.transfer[0]);
  }
  return level;
}

template <class T, class Space>
void set_coefficients(const GridLevel& grid, double shift, double scale, Level<T, Space>& level) {
  LevelView<T>& v = level.view;
  v.shift = static_cast<T>(shift);
  const Layout l = layout(v);
  for (Index d = 0; d < 3; ++d) {
    const SeparableDirection& line = grid.line[d].d;
    const Index* at = d == 0 ? l.x : d == 1 ? l.y : l.z;
    for (int i = 0; i < line.size(); ++i) {
      const auto s = static_cast<Index>(i);
      const auto place = d == 0 ? static_cast<Index>(v.half_of_axis(i)) : s;
      const double f = scale / line.mass[s];
      T* c = level.coefficients_on_host.data();
      c[at[0] + place] = static_cast<T>(f * line.lower[s]);
      c[at[1] + place] = static_cast<T>(f * line.upper[s]);
      c[at[2] + place] = static_cast<T>(f * (line.lower[s] + line.upper[s] + line.boundary[s]));
    }
  }
  level.coefficients.upload(level.coefficients_on_host);
}

#define WEIR_MULTIGRID_LEVEL(T, S)                               \
  template Level<T, S> make_level<T, S>(const GridLevel&, bool); \
  template void set_coefficients<T, S>(const GridLevel&, double, double, Level<T, S>&);
WEIR_MULTIGRID_LEVEL(float, Host)
WEIR_MULTIGRID_LEVEL(double, Host)
WEIR_MULTIGRID_LEVEL(float, Device)
WEIR_MULTIGRID_LEVEL(double, Device)
#undef WEIR_MULTIGRID_LEVEL

}  // namespace weir::multigrid
