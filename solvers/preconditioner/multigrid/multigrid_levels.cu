#include "solvers/preconditioner/multigrid/multigrid_levels.hpp"

#include <omp.h>
#include <algorithm>
#include <type_traits>
#include <utility>

#include "solvers/preconditioner/multigrid/multigrid_load_store.hpp"

namespace weir::multigrid {
namespace {

// Memory of a level: 1D arrays of the operator and of the exchange with the coarser level, uploaded once.
using Index = std::size_t;

template <class T, class Space>
void add_masses(const GridLevel& grid, Level<T, Space>& level) {
  LevelView<T>& v = level.view;
  const auto &x = grid.line[0].d.mass, &y = grid.line[1].d.mass, &z = grid.line[2].d.mass;
  std::vector<double> all(x);
  all.insert(all.end(), y.begin(), y.end());
  all.insert(all.end(), z.begin(), z.end());
  const auto halves = all.size();
  all.resize(halves + 2 * v.pitch, 0.0);
  for (int i = 0; i < v.X.n; ++i) all[halves + v.half_of_axis(i)] = 1 / x[i];
  level.masses = Array<double, Space>(all);
  v.X.mass = level.masses.data();
  v.Y.mass = v.X.mass + x.size();
  v.Z.mass = v.Y.mass + y.size();
  v.X.inverse_mass = v.X.mass + halves;
}

template <class T, class Space>
void add_exchange(const GridLevel& grid, Level<T, Space>& level) {
  std::vector<int> indices;
  std::vector<T> weights;
  for (const LineTransfer& t : grid.transfer) {
    for (const auto* part : {&t.parent, &t.other, &t.first}) indices.insert(indices.end(), part->begin(), part->end());
    for (const auto* part : {&t.weight_parent, &t.weight_other, &t.restriction})
      for (const double w : *part) weights.push_back(static_cast<T>(w));
  }
  level.indices = Array<int, Space>(indices);
  level.weights = Array<T, Space>(weights);
  const int* index = level.indices.data();
  const T* weight = level.weights.data();
  TransferView<T>* const views[3] = {&level.exchange.X, &level.exchange.Y, &level.exchange.Z};
  for (Index d = 0; d < 3; ++d) {
    TransferView<T>& v = *views[d];
    v.fine = grid.transfer[d].fine();
    v.coarse = grid.transfer[d].coarse();
    v.parent = std::exchange(index, index + v.fine);
    v.other = std::exchange(index, index + v.fine);
    v.first = std::exchange(index, index + v.coarse + 1);
    v.weight_parent = std::exchange(weight, weight + v.fine);
    v.weight_other = std::exchange(weight, weight + v.fine);
    v.restriction = std::exchange(weight, weight + 4 * v.coarse);
  }
}

template <class T, class Space>
Level<T, Space> make_level(const GridLevel& grid, bool fused) {
  Level<T, Space> level;
  LevelView<T>& v = level.view;
  AxisView<T>* const axes[3] = {&v.X, &v.Y, &v.Z};
  for (Index d = 0; d < 3; ++d) {
    axes[d]->n = grid.line[d].size();
    axes[d]->periodic = grid.line[d].d.periodic;
  }
  v.own = {v.X.n, v.Y.n, v.Z.n};
  v.pitch = half_pitch(v.X.n);
  const int n = 2 * v.pitch * v.Y.n * v.Z.n, vectors = fused && grid.two_colours ? 2 : 4;
  level.values = Array<T, Space>(std::int64_t{1} * vectors * n);
  v.u = level.values.data();
  v.g = v.u + n;
  if (vectors == 4) {
    v.w = v.g + n;
    v.p = v.w + n;
  }
  if constexpr (std::is_same_v<Space, Device>) {
    LevelView<T> part = v;
    for (int a = 0; a < vectors; ++a, part.u += n) run_step<Space>(Clear<T>{part});
  }
  const int lengths[3] = {2 * v.pitch, v.Y.n, v.Z.n}, coefficients = 3 * (lengths[0] + lengths[1] + lengths[2]);
  level.coefficients_on_host.assign(coefficients, 0);
  level.coefficients = Array<T, Space>(coefficients);
  const T* c = level.coefficients.data();
  for (Index d = 0; d < 3; ++d)
    for (const T** part : {&axes[d]->low, &axes[d]->up, &axes[d]->diagonal}) *part = std::exchange(c, c + lengths[d]);
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
  const AxisView<T>* const axes[3] = {&v.X, &v.Y, &v.Z};
  const auto on_host = [&](const T* part) {
    return level.coefficients_on_host.data() + (part - level.coefficients.data());
  };
  for (Index d = 0; d < 3; ++d) {
    const SeparableDirection& line = grid.line[d].d;
    T *low = on_host(axes[d]->low), *up = on_host(axes[d]->up), *diagonal = on_host(axes[d]->diagonal);
    for (int i = 0; i < line.size(); ++i) {
      const int place = d == 0 ? v.half_of_axis(i) : i;
      const double f = scale / line.mass[i];
      low[place] = static_cast<T>(f * line.lower[i]);
      up[place] = static_cast<T>(f * line.upper[i]);
      diagonal[place] = static_cast<T>(f * (line.lower[i] + line.upper[i] + line.boundary[i]));
    }
  }
  level.coefficients.upload(level.coefficients_on_host);
}

}  // namespace

int half_pitch(int nx) { return ((nx + 1) / 2 + 2 + 15) / 16 * 16; }

template <class T, class Space>
Levels<T, Space>::Levels(std::vector<GridLevel> grids, const MultigridOptions& options, bool solves)
    : options_(options),
      fused_(std::is_same_v<Space, Host> && options.smoother == "red_black"),
      solves_(solves),
      grids_(std::move(grids)) {
  for (int s = 0; s < 2 * options.pre; ++s) omega_before_.push_back(static_cast<T>(omega_before(options, s)));
  for (int s = 0; s < 2 * options.post; ++s) omega_after_.push_back(static_cast<T>(omega_after(options, s)));
  for (const GridLevel& grid : grids_) levels_.push_back(make_level<T, Space>(grid, fused_));
  make_scratch();
  if (solves) coarsest_ = CoarsestSolve<T, Space>(grids_.back());
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
void Levels<T, Space>::update(const SeparableOperator& A) {
  for (std::size_t l = 0; l < levels_.size(); ++l) set_coefficients(grids_[l], A.shift, A.scale, levels_[l]);
  if (solves_) coarsest_.update(A.shift, A.scale);
}

template <class T, class Space>
std::int64_t Levels<T, Space>::bytes() const {
  std::int64_t b = (scratch_.size() + planes_.size()) * static_cast<std::int64_t>(sizeof(T)) + coarsest_.bytes();
  for (const auto& l : levels_) b += l.bytes();
  return b;
}

template <class T, class Space>
HostPass<T> Levels<T, Space>::pass(std::size_t l, int first_colour, const std::vector<T>& omega) const {
  const Level<T, Space>& level = levels_[l];
  return {level.view,
          levels_[l + 1].view,
          level.exchange,
          &level.row,
          workspace_,
          static_cast<int>(omega.size()) / 2,
          first_colour ^ grids_[l].colour,
          omega.data()};
}

template <class T, class Space>
double Levels<T, Space>::descend_from(std::size_t l, Start start, const double* r, double factor) {
  if (is_fused(l)) return descend(pass(l, 0, omega_before_), r, factor);
  smooth(l, 0, omega_before_, start);
  const LevelView<T>&L = view(l), &next = view(l + 1);
  const ExchangeView<T>& exchange = levels_[l].exchange;
  if (is_by_colours(l)) {
    const int colour = grids_[l].colour;
    run_by_columns<Space, ResidualColour>(L, colour);
    run_by_columns<Space, RestrictColour>(L, next, exchange, colour, starts_next(l) ? omega_before_[0] : T(0));
  } else {
    run_by_columns<Space, Residual>(L);
    run_by_columns<Space, RestrictPlanes>(L, next, exchange);
    run_step<Space>(RestrictLayers<T>{L, next, exchange});
  }
  return 1;
}

template <class T, class Space>
void Levels<T, Space>::ascend_to(std::size_t l, const Output& out, bool but_last) {
  const int colour = options_.symmetric.value_or(false) ? 1 : 0;
  if (is_fused(l)) return ascend(pass(l, colour, omega_after_), out);
  run_by_columns<Space, ProlongCorrect>(view(l), view(l + 1), levels_[l].exchange);
  smooth(l, colour, omega_after_, Start::nonzero, but_last ? 1 : 0);
}

template <class T, class Space>
void Levels<T, Space>::finish(double factor, double* z) const {
  const int colour = options_.symmetric.value_or(false) ? 0 : 1;
  run_by_columns<Space, RelaxAndStore>(view(0), colour, omega_after_.back(), factor, z);
}

template <class T, class Space>
void Levels<T, Space>::smooth(std::size_t l, int first_colour, const std::vector<T>& omega, Start start, int left_out) {
  const LevelView<T>& L = view(l);
  const int halves = static_cast<int>(omega.size());
  const bool by_colours = is_by_colours(l);
  if (start == Start::zero && !by_colours) run_step<Space>(Clear<T>{L});
  if (!by_colours) return chebyshev(L, halves);
  for (int s = start == Start::begun ? 1 : 0; s < halves - left_out; ++s) {
    const int colour = (first_colour + grids_[l].colour + s) % 2;
    const T factor = omega[static_cast<std::size_t>(s)];
    if (start == Start::nonzero || s > 1)
      run_by_columns<Space, RelaxColour>(L, colour, factor);
    else if (s == 1)
      run_by_columns<Space, RelaxSecond>(L, colour, factor);
    else
      run_by_columns<Space, RelaxFirst>(L, colour, factor);
  }
}

// The eigenvalues of D^-1 A lie in (0, 2]; those from 2/4 on are smoothed (Adams et al. 2003, Saad 2003 alg. 12.1).
template <class T, class Space>
void Levels<T, Space>::chebyshev(const LevelView<T>& L, int degree) {
  const double high = 2, low = high / 4, theta = 0.5 * (high + low), delta = 0.5 * (high - low), sigma = theta / delta;
  double rho = 1 / sigma;
  for (int s = 0; s < degree; ++s) {
    const double rho_new = s == 0 ? rho : 1 / (2 * sigma - rho);
    run_by_columns<Space, Residual>(L);
    run_step<Space>(ChebyshevStep<T>{L, static_cast<T>(s == 0 ? 0 : rho_new * rho),
                                     static_cast<T>(s == 0 ? 1 / theta : 2 * rho_new / delta)});
    rho = rho_new;
  }
}

template <class T, class Space>
void Levels<T, Space>::visit(std::size_t l, Start start) {
  if (is_last(l)) return coarsest_(view(l));
  descend_from(l, start);
  visit(l + 1, start_of_next(l));
  ascend_to(l);
}

template class Levels<float, Host>;
template class Levels<double, Host>;
template class Levels<float, Device>;
template class Levels<double, Device>;

}  // namespace weir::multigrid
