#include "solvers/preconditioner/multigrid/multigrid_levels.hpp"

#include <omp.h>
#include <algorithm>
#include <type_traits>
#include <utility>

#include "solvers/preconditioner/multigrid/multigrid_kernels.hpp"

namespace weir::multigrid {
namespace {

// The memory of a level: 1D arrays of the operator and of the exchange with the coarser level, uploaded once.
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

int reach(const MultigridOptions& options, int sweeps) { return options.smoother == "jacobi" ? sweeps : 2 * sweeps; }

template <class T, class Space>
Levels<T, Space>::Levels(std::vector<GridLevel> grids, const MultigridOptions& options)
    : options_(options),
      fused_(std::is_same_v<Space, Host> && options.smoother == "red_black"),
      grids_(std::move(grids)) {
  for (const GridLevel& grid : grids_) levels_.push_back(make_level<T, Space>(grid, fused_));
  make_scratch();
}

template <class T, class Space>
void Levels<T, Space>::make_scratch() {
  std::int64_t planes = 0, stride = 0;
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    const LevelView<T>&f = levels_[l].view, &c = levels_[l + 1].view;
    planes = std::max(planes, std::int64_t{1} * c.X.n * c.Y.n * f.Z.n);
    stride = std::max(stride, scratch_size(f, c));
  }
  planes_ = Array<T, Space>(planes);
  for (auto& level : levels_) level.exchange.planes = planes_.data();
  if (!fused_) return;
  workspace_.threads = omp_get_max_threads();
  workspace_.stride = (stride + 64) / 64 * 64;
  scratch_ = Array<T, Host>(workspace_.threads * workspace_.stride);
  workspace_.data = scratch_.data();
  peaks_ = Array<double, Host>(8 * workspace_.threads);
  workspace_.peaks = peaks_.data();
}

template <class T, class Space>
void Levels<T, Space>::update(double shift, double scale) {
  for (std::size_t l = 0; l < levels_.size(); ++l) set_coefficients(grids_[l], shift, scale, levels_[l]);
}

template <class T, class Space>
std::int64_t Levels<T, Space>::bytes() const {
  std::int64_t b = (scratch_.size() + planes_.size()) * static_cast<std::int64_t>(sizeof(T));
  for (const auto& l : levels_) b += l.bytes();
  return b;
}

template <class T, class Space>
HostPass<T> Levels<T, Space>::pass(std::size_t l, int sweeps, int first_colour) const {
  const Level<T, Space>& level = levels_[l];
  return {level.view,
          levels_[l + 1].view,
          level.exchange,
          &level.row,
          workspace_,
          sweeps,
          first_colour ^ level.colour,
          static_cast<T>(options_.omega)};
}

template <class T, class Space>
double Levels<T, Space>::descend_from(std::size_t l, bool from_zero, const double* r, double factor) {
  if (is_fused(l)) return descend(pass(l, options_.pre, 0), from_zero, r, factor);
  const LevelView<T>& v = levels_[l].view;
  if (from_zero) clear<Space>(v.u, 2 * v.pitch * v.Y.n * v.Z.n);
  smooth(l, options_.pre, 0);
  residual<Space>(v);
  restrict_residual<Space>(v, levels_[l + 1].view, levels_[l].exchange);
  return 1;
}

template <class T, class Space>
void Levels<T, Space>::ascend_to(std::size_t l, const Output& out) {
  const int colour = options_.symmetric ? 1 : 0;
  if (is_fused(l)) return ascend(pass(l, options_.post, colour), out);
  prolong_correct<Space>(levels_[l].view, levels_[l + 1].view, levels_[l].exchange);
  smooth(l, options_.post, colour);
}

template <class T, class Space>
void Levels<T, Space>::smooth(std::size_t l, int sweeps, int first_colour) {
  const LevelView<T>& v = levels_[l].view;
  if (options_.smoother == "jacobi") {
    for (int s = 0; s < sweeps; ++s) {
      residual<Space>(v);
      jacobi_step<Space>(v, static_cast<T>(0.8));
    }
  } else if (options_.smoother == "red_black" && levels_[l].two_colours) {
    for (int s = 0; s < 2 * sweeps; ++s)
      relax_colour<Space>(v, (first_colour + levels_[l].colour + s) % 2, static_cast<T>(options_.omega));
  } else {
    chebyshev(v, 2 * sweeps);
  }
}

// The eigenvalues of D^-1 A lie in (0, 2]; those from 2/4 on are smoothed (Adams et al. 2003, Saad 2003 alg. 12.1).
template <class T, class Space>
void Levels<T, Space>::chebyshev(const LevelView<T>& v, int degree) {
  const double high = 2, low = high / 4, theta = 0.5 * (high + low), delta = 0.5 * (high - low), sigma = theta / delta;
  double rho = 1 / sigma;
  for (int s = 0; s < degree; ++s) {
    const double rho_new = s == 0 ? rho : 1 / (2 * sigma - rho);
    residual<Space>(v);
    chebyshev_step<Space>(v, static_cast<T>(s == 0 ? 0 : rho_new * rho),
                          static_cast<T>(s == 0 ? 1 / theta : 2 * rho_new / delta));
    rho = rho_new;
  }
}

template <class T, class Space>
Hierarchy<T, Space>::Hierarchy(std::vector<GridLevel> grids, const MultigridOptions& options)
    : levels_(std::move(grids), options) {
  const GridLevel& last = levels_.grids().back();
  const auto n = static_cast<std::size_t>(last.count());
  inverse_on_host_.resize(n * n);
  inverse_ = Array<T, Space>(static_cast<std::int64_t>(n * n));
  std::vector<int> places;
  const LevelView<T>& v = levels_.view(levels_.count() - 1);
  for (int k = 0; k < v.Z.n; ++k)
    for (int j = 0; j < v.Y.n; ++j)
      for (int i = 0; i < v.X.n; ++i) places.push_back(v.place(i, j, k));
  places_ = Array<int, Space>(places);
}

template <class T, class Space>
void Hierarchy<T, Space>::update(double shift, double scale, bool singular) {
  levels_.update(shift, scale);
  const GridLevel& last = levels_.grids().back();
  invert_coarsest(last, shift, scale, singular, inverse_in_double_, work_);
  const auto n = static_cast<std::size_t>(last.count());
  const auto nx = static_cast<std::size_t>(last.line[0].size()), ny = static_cast<std::size_t>(last.line[1].size());
  for (std::size_t b = 0; b < n; ++b) {
    const double volume =
        last.line[0].d.mass[b % nx] * last.line[1].d.mass[b / nx % ny] * last.line[2].d.mass[b / nx / ny];
    for (std::size_t a = 0; a < n; ++a)
      inverse_on_host_[b * n + a] = static_cast<T>(inverse_in_double_[b * n + a] * volume);
  }
  inverse_.upload(inverse_on_host_);
}

template <class T, class Space>
void Hierarchy<T, Space>::visit(std::size_t l, bool f_cycle, bool from_zero) {
  if (levels_.is_last(l)) return solve_coarsest<Space>(levels_.view(l), places_.data(), inverse_.data());
  levels_.descend_from(l, from_zero);
  visit(l + 1, f_cycle, true);
  levels_.ascend_to(l);
  if (!f_cycle) return;
  levels_.descend_from(l, false);
  visit(l + 1, false, true);
  levels_.ascend_to(l);
}

#define WEIR_MULTIGRID_LEVELS(T, S) \
  template class Levels<T, S>;      \
  template class Hierarchy<T, S>;
WEIR_MULTIGRID_LEVELS(float, Host)
WEIR_MULTIGRID_LEVELS(double, Host)
WEIR_MULTIGRID_LEVELS(float, Device)
WEIR_MULTIGRID_LEVELS(double, Device)
#undef WEIR_MULTIGRID_LEVELS

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
