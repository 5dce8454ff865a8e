#include "solvers/preconditioner/banded_multigrid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/matrix/banded.hpp"
#include "solvers/preconditioner/banded_multigrid_kernels.hpp"
#include "solvers/preconditioner/multigrid_hierarchy.hpp"
#include "solvers/timer.hpp"

namespace weir {
namespace mg = banded_multigrid;
namespace {

constexpr double merge_factor = 3, reduction = 0.65;  // as in Multigrid: which cells of a stretched grid are merged

// The coarsest matrix, of which a part may be singular, has its diagonal raised by this fraction: above the rounding of
// single precision, and far below its smallest eigenvalue otherwise. It is inverted and applied in double: what it makes of
// the constant vector, 1e5 times, must not drown the rest.
constexpr double regularisation = 1e-5;

// The step lengths of the Chebyshev polynomial that is smallest on [low, 2], each 1 / a zero of it. low: the eigenvalues of D^-1 A
// of what the coarse grid cannot see begin at 1/3 (1/2 in 2D) on a uniform grid.
std::vector<double> chebyshev_steps(int degree) {
  constexpr double high = 2, low = 0.3;
  std::vector<double> steps;
  for (int p = 0; p < degree; ++p)
    steps.push_back(1 / (0.5 * (high + low) + 0.5 * (high - low) * std::cos(std::numbers::pi * (p + 0.5) / degree)));
  return steps;
}

// The grid as the couplings tell it, where nobody else has: with volumes in the rows, the coupling across a face is its area
// over the distance, h_y h_z / d_x. The largest of a plane belongs to its widest open cells, whose widths H are the largest
// distances; so the smallest of these over all planes is m_x = H_y H_z / H_x, and H_z^2 = m_x m_y.
template <class Space>
std::array<SeparableDirection, 3> judged_directions(const Banded<Space>& A) {
  std::array<SeparableDirection, 3> direction = A.directions();
  std::array<std::vector<double>, 3> largest;
  std::array<double, 3> m{1, 1, 1};
  for (std::size_t d = 0; d < 3; ++d) {
    const int n = direction[d].size(), faces = direction[d].periodic ? n : n - 1;
    if (faces < 1) continue;
    Array<double, Space> values(n);
    mg::largest_couplings<Space>(A.banded(), static_cast<int>(d), values.data());
    largest[d] = values.to_vector();
    largest[d].resize(static_cast<std::size_t>(faces));
    const double top = *std::max_element(largest[d].begin(), largest[d].end());
    if (!(top > 0) || !std::isfinite(top)) return A.directions();
    for (double& v : largest[d]) v = v > 1e-6 * top ? v : top;  // a plane that is closed all over
    m[d] = *std::min_element(largest[d].begin(), largest[d].end());
  }
  for (std::size_t d = 0; d < 3; ++d) {
    SeparableDirection& line = direction[d];
    const std::size_t faces = largest[d].size(), n = line.mass.size();
    const double H = std::sqrt(m[(d + 1) % 3] * m[(d + 2) % 3]);
    for (std::size_t i = 0; i < faces; ++i) line.upper[i] = line.lower[(i + 1) % n] = largest[d][i] / (H * m[d]);
    for (std::size_t i = 0; i < n && faces > 0; ++i) {
      const double low = line.lower[i], up = line.upper[i];
      line.mass[i] = low > 0 && up > 0 ? 0.5 / low + 0.5 / up : 1 / std::max(low, up);
    }
  }
  return direction;
}

// As ordered_lines of the hierarchy: directions of one cell last where they can be.
void order_directions(const std::array<SeparableDirection, 3>& d, std::array<std::size_t, 3>& order) {
  order = {0, 1, 2};
  const auto size = [&](std::size_t q) { return d[order[q]].size(); };
  if (size(0) == 1) std::swap(order[0], order[1]);
  if (size(0) == 1) std::swap(order[0], order[2]);
  if (size(2) == 1) std::swap(order[1], order[2]);
}

template <class Space>
const Banded<Space>& banded(const Matrix<Space>& A) {
  const auto* b = dynamic_cast<const Banded<Space>*>(&A);
  if (!b || !b->is_symmetric()) throw Error(Exit::usage, "multigrid of bands needs a symmetric banded matrix");
  return *b;
}

// The numbers of one direction, packed behind those of others; `map` gets offsets now and addresses later.
struct Packed {
  std::vector<int> indices;
  std::vector<float> weights;

  mg::LineMap add(const multigrid::Line& fine, const multigrid::Line& coarse, const multigrid::LineTransfer& t) {
    mg::LineMap map;
    map.fine = t.fine();
    map.coarse = t.coarse();
    indices.insert(indices.end(), t.first.begin(), t.first.end());
    indices.insert(indices.end(), t.parent.begin(), t.parent.end());
    for (const double w : t.weight_other) weights.push_back(static_cast<float>(w));
    for (std::size_t I = 0; I < coarse.d.lower.size(); ++I) {
      const double f = fine.d.lower[static_cast<std::size_t>(t.first[I])], c = coarse.d.lower[I];
      weights.push_back(f > 0 ? static_cast<float>(c / f) : 0);
    }
    const auto n = static_cast<std::size_t>(t.fine());
    for (std::size_t i = 0; i < n; ++i) weights.push_back(static_cast<float>(fine.d.boundary[i] / fine.d.mass[i]));
    for (std::size_t i = 0; i < n; ++i) {
      const double b = fine.d.boundary[i], c = coarse.d.boundary[static_cast<std::size_t>(t.parent[i])];
      weights.push_back(b > 0 ? static_cast<float>(c / b) : 0);
    }
    return map;
  }
};

void give_addresses(mg::LineMap& map, const int*& indices, const float*& weights) {
  map.first = std::exchange(indices, indices + map.coarse + 1);
  map.parent = std::exchange(indices, indices + map.fine);
  map.weight = std::exchange(weights, weights + map.fine);
  map.ratio = std::exchange(weights, weights + map.coarse);
  map.end_weight = std::exchange(weights, weights + map.fine);
  map.end_ratio = std::exchange(weights, weights + map.fine);
}

mg::LevelView level_view(const multigrid::GridLevel& grid, float* values) {
  mg::LevelView v;
  v.cells = {grid.line[0].size(), grid.line[1].size(), grid.line[2].size()};
  for (std::size_t d = 0; d < 3; ++d) v.wraps[d] = grid.line[d].d.periodic;
  const std::int64_t n = grid.count();
  for (float** part : {&v.ax, &v.ay, &v.az, &v.d, &v.inverse, &v.u, &v.v, &v.g})
    *part = std::exchange(values, values + n);
  v.excess = v.v;
  return v;
}
constexpr int values_per_cell = 8;

template <class Space>
double dot_of(int n, const double* r, const double* z) {
  return sum<Space>(n, [=] WEIR_HD(int i) { return r[i] * z[i]; });
}

// Host memory comes as zeros.
void set_zero(Array<float, Host>&) {}
void set_zero(Array<float, Device>& a) { a.upload(std::vector<float>(static_cast<std::size_t>(a.size()))); }

// Gauss-Jordan without pivoting: a is symmetric positive definite. Overwrites it by its inverse.
void invert(std::vector<double>& a, std::size_t n) {
  for (std::size_t p = 0; p < n; ++p) {
    const double pivot = 1 / a[p * n + p];
    a[p * n + p] = 1;
    for (std::size_t j = 0; j < n; ++j) a[p * n + j] *= pivot;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == p) continue;
      const double f = std::exchange(a[i * n + p], 0.0);
      for (std::size_t j = 0; j < n; ++j) a[i * n + j] -= f * a[p * n + j];
    }
  }
}

}  // namespace

template <class Space>
SetupInfo BandedMultigrid<Space>::setup(const Matrix<Space>& matrix) {
  double seconds = 0;
  {
    const ScopedTimer timer(seconds);
    const Banded<Space>& A = banded(matrix);
    cells_ = A.cells();
    SeparableOperator grid;
    grid.direction = A.has_grid() ? A.directions() : judged_directions(A);
    std::array<std::size_t, 3> order;
    order_directions(grid.direction, order);
    constexpr int towards_smaller[] = {slot::gamma, slot::beta, slot::alpha};
    for (std::size_t d = 0; d < 3; ++d) slots_[d] = towards_smaller[order[d]];
    const auto grids = multigrid::make_grids(grid, {merge_factor, reduction, coarse_size_});
    levels_.clear();
    for (std::size_t l = 0; l < grids.size(); ++l) {
      Level& level = levels_.emplace_back();
      level.values = Array<float, Space>(values_per_cell * grids[l].count());
      set_zero(level.values);
      level.view = level_view(grids[l], level.values.data());
      if (l + 1 == grids.size()) break;
      Packed packed;
      mg::LineMap* maps[] = {&level.transfer.x, &level.transfer.y, &level.transfer.z};
      for (std::size_t d = 0; d < 3; ++d)
        *maps[d] = packed.add(grids[l].line[d], grids[l + 1].line[d], grids[l].transfer[d]);
      level.indices = Array<int, Space>(packed.indices);
      level.weights = Array<float, Space>(packed.weights);
      const int* indices = level.indices.data();
      const float* weights = level.weights.data();
      for (mg::LineMap* map : maps) give_addresses(*map, indices, weights);
      level.transfer.pairs = level.transfer.x.fine == 2 * level.transfer.x.coarse;
    }
    identity_ = Array<float, Space>(A.rows());
    const std::int64_t n = grids.back().count();
    inverse_ = Array<double, Space>(n * n);
    work_.resize(static_cast<std::size_t>(n * n));
    download_.resize(static_cast<std::size_t>(values_per_cell * n));
    steps_ = chebyshev_steps(degree_);
  }
  SetupInfo info = update(matrix);
  info.seconds += seconds;
  return info;
}

template <class Space>
SetupInfo BandedMultigrid<Space>::update(const Matrix<Space>& matrix) {
  const Banded<Space>& A = banded(matrix);
  if (levels_.empty() || A.cells() != cells_) return setup(matrix);
  SetupInfo info;
  {
    const ScopedTimer timer(info.seconds);
    const double largest = mg::largest_diagonal<Space>(A.banded());
    if (!std::isfinite(largest))
      throw Error(Exit::not_finite, "multigrid: the matrix holds a value that is not finite");
    if (!(largest > 0)) throw Error(Exit::solver_failed, "multigrid: the diagonal of the matrix is zero");
    scale_ = 1 / largest;
    mg::load_bands<Space>(A.banded(), slots_, scale_, levels_[0].view, identity_.data());
    for (std::size_t l = 0; l + 1 < levels_.size(); ++l)
      mg::coarsen<Space>(levels_[l].view, levels_[l + 1].view, levels_[l].transfer);
    invert_coarsest();
  }
  info.levels = static_cast<int>(levels_.size());
  info.colours = 1;
  info.bytes = 4 * identity_.size() + 8 * inverse_.size();
  for (const Level& l : levels_) info.bytes += 4 * (l.values.size() + l.weights.size() + l.indices.size());
  return info;
}

template <class Space>
void BandedMultigrid<Space>::invert_coarsest() {
  const Level& last = levels_.back();
  last.values.download(download_);
  const mg::LevelView v = [&] {  // the same on the host
    mg::LevelView h = last.view;
    for (float** part : {&h.ax, &h.ay, &h.az, &h.d, &h.excess}) *part = download_.data() + (*part - last.values.data());
    return h;
  }();
  const auto n = static_cast<std::size_t>(v.cells.count());
  std::fill(work_.begin(), work_.end(), 0.0);
  for (int c = 0; c < v.cells.count(); ++c) {
    const mg::Around a =
        mg::around(v.cells, c % v.cells.nx, c / v.cells.nx % v.cells.ny, c / (v.cells.nx * v.cells.ny));
    const auto entry = [&](int row, int column) -> double& {
      return work_[static_cast<std::size_t>(row) * n + static_cast<std::size_t>(column)];
    };
    const double d = static_cast<double>(v.d[c]);
    entry(c, c) += d > 0 ? regularisation * d + static_cast<double>(v.excess[c]) : 1;
    const std::pair<float, int> links[] = {{v.ax[c], a.west}, {v.ay[c], a.south}, {v.az[c], a.below}};
    for (const auto& [coupling, to] : links) {  // summed in double: the constant vector stays a null vector
      const double g = static_cast<double>(coupling);
      entry(c, c) += g;
      entry(to, to) += g;
      entry(c, to) -= g;
      entry(to, c) -= g;
    }
  }
  invert(work_, n);
  inverse_.upload(work_);
}

template <class Space>
void BandedMultigrid<Space>::visit(std::size_t l) const {
  const Level& level = levels_[l];
  if (l + 1 == levels_.size()) return mg::solve_coarsest<Space>(level.view, inverse_.data(), {});
  const mg::LevelView& coarse = levels_[l + 1].view;
  if constexpr (std::is_same_v<Space, Host>) {
    mg::host::descend(level.view, coarse, level.transfer, steps_, {});
    visit(l + 1);
    mg::host::ascend(level.view, coarse, level.transfer, steps_, {}, false);
  } else {
    mg::device::descend(level.view, coarse, level.transfer, steps_, {});
    visit(l + 1);
    mg::device::ascend(level.view, coarse, level.transfer, steps_, {}, false);
  }
}

template <class Space>
double BandedMultigrid<Space>::run(const double* r, double* z, bool dot) const {
  const mg::Ends ends{r, z, identity_.data(), scale_};
  const Level& finest = levels_[0];
  if (levels_.size() == 1) {
    mg::solve_coarsest<Space>(finest.view, inverse_.data(), ends);
    return dot ? dot_of<Space>(cells_.count(), r, z) : 0;
  }
  const mg::LevelView& coarse = levels_[1].view;
  if constexpr (std::is_same_v<Space, Host>) {
    mg::host::descend(finest.view, coarse, finest.transfer, steps_, ends);
    visit(1);
    return mg::host::ascend(finest.view, coarse, finest.transfer, steps_, ends, dot);
  } else {
    mg::device::descend(finest.view, coarse, finest.transfer, steps_, ends);
    visit(1);
    return mg::device::ascend(finest.view, coarse, finest.transfer, steps_, ends, dot);
  }
}

template <class Space>
void BandedMultigrid<Space>::apply(View<const double> r, View<double> z) const {
  run(r.data(), z.data(), false);
}
template <class Space>
double BandedMultigrid<Space>::apply_dot(View<const double> r, View<double> z) const {
  return run(r.data(), z.data(), true);
}

// Couplings of two or three directions, the diagonal and its inverse are read each way.
template <class Space>
Work BandedMultigrid<Space>::work_from(std::size_t l) const {
  Work work;
  const int dim = cells_.nx > 1 && cells_.ny > 1 && cells_.nz > 1 ? 3 : 2;
  for (; l + 1 < levels_.size(); ++l)
    work += multigrid::work_of_level(levels_[l].view.cells.count(), levels_[l + 1].view.cells.count(), dim + 2,
                                     2 * dim + 1, 2 * degree_, 4);
  work += multigrid::work_of_coarsest(levels_.back().view.cells.count(), 8, 4);
  return work;
}

template <class Space>
Work BandedMultigrid<Space>::apply_work() const {
  if (levels_.empty()) return {};
  Work work = work_from(0);
  work += {16 * std::int64_t{cells_.count()}, 0};  // r, z
  return work;
}

template <class Space>
std::vector<PartOfApply<Space>> BandedMultigrid<Space>::parts() const {
  std::vector<PartOfApply<Space>> parts;
  for (std::size_t l = 1; l < levels_.size(); ++l)
    parts.push_back(
        {"levels from " + std::to_string(l), work_from(l), [this, l](View<const double>, View<double>) { visit(l); }});
  return parts;
}

template <class Space>
std::string BandedMultigrid<Space>::describe() const {
  return "multigrid of bands (V cycle, Chebyshev of degree " + std::to_string(degree_) + " each way, single precision" +
         (levels_.empty() ? "" : ", " + std::to_string(levels_.size()) + " levels") + ")";
}

template class BandedMultigrid<Host>;
template class BandedMultigrid<Device>;

}  // namespace weir
