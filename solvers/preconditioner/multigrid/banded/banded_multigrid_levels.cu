#include "solvers/preconditioner/multigrid/banded/banded_multigrid_levels.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "solvers/device/vector_ops.hpp"

namespace weir::banded_multigrid {
namespace {

// Fraction added to the diagonal of the coarsest matrix, parts of which may be singular: above the rounding of single
// precision, far below its smallest nonzero eigenvalue.
constexpr double regularisation = 1e-5;

// Host memory is allocated as zeros.
void set_zero(Array<float, Host>&) {}
void set_zero(Array<float, Device>& a) { a.upload(std::vector<float>(static_cast<std::size_t>(a.size()))); }

// Connected parts of the cells (union-find).
class Parts {
 public:
  explicit Parts(int cells) : parent_(cells) { std::iota(parent_.begin(), parent_.end(), 0); }
  int of(int c) {
    while (parent_[c] != c) c = parent_[c] = parent_[parent_[c]];
    return c;
  }
  void join(int a, int b) { parent_[of(a)] = of(b); }

 private:
  std::vector<int> parent_;
};

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

// low = 0.3: on a uniform grid the eigenvalues of D^-1 A that the coarse grid cannot represent begin at 1/3 (1/2 in
// 2D). Each step is 1 / a zero of the Chebyshev polynomial on [low, 2].
std::vector<double> chebyshev_steps(int degree) {
  constexpr double high = 2, low = 0.3;
  std::vector<double> steps;
  for (int p = 0; p < degree; ++p)
    steps.push_back(1 / (0.5 * (high + low) + 0.5 * (high - low) * std::cos(std::numbers::pi * (p + 0.5) / degree)));
  return steps;
}

double scale_of(double largest) {
  if (!std::isfinite(largest)) throw Error(Exit::not_finite, "multigrid: the matrix has a NaN or Inf entry");
  if (!(largest > 0)) throw Error(Exit::solver_failed, "multigrid: the matrix has a zero diagonal entry");
  return 1 / largest;
}

LevelView level_view(Extents cells, const bool (&wraps)[3], Right right, float* values) {
  LevelView v;
  v.cells = cells;
  for (std::size_t d = 0; d < 3; ++d) v.wraps[d] = wraps[d];
  const std::int64_t n = cells.count();
  for (float** part : {&v.ax, &v.ay, &v.az, &v.inverse, &v.u, &v.v}) *part = std::exchange(values, values + n);
  if (right == Right::own) v.g = values;
  v.excess = v.v;
  return v;
}

template <class Space>
typename TransferArrays<Space>::Direction TransferArrays<Space>::direction(const multigrid::Line& fine,
                                                                           const multigrid::Line& coarse,
                                                                           const multigrid::LineTransfer& t) {
  Direction out;
  out.first = t.first;
  out.parent = t.parent;
  for (const double w : t.weight_other) out.weight.push_back(static_cast<float>(w));
  for (std::size_t I = 0; I < coarse.d.lower.size(); ++I) {
    const double f = fine.d.lower[t.first[I]], c = coarse.d.lower[I];
    out.ratio.push_back(f > 0 ? static_cast<float>(c / f) : 0);
  }
  const auto n = static_cast<std::size_t>(t.fine());
  for (std::size_t i = 0; i < n; ++i) out.end_weight.push_back(static_cast<float>(fine.d.boundary[i] / fine.d.mass[i]));
  for (std::size_t i = 0; i < n; ++i) {
    const double b = fine.d.boundary[i], c = coarse.d.boundary[t.parent[i]];
    out.end_ratio.push_back(b > 0 ? static_cast<float>(c / b) : 0);
  }
  return out;
}

template <class Space>
TransferView TransferArrays<Space>::set(const Direction (&directions)[3], bool pairs) {
  std::vector<int> indices;
  std::vector<float> weights;
  for (const Direction& d : directions) {
    for (const auto* part : {&d.first, &d.parent}) append(indices, *part);
    for (const auto* part : {&d.weight, &d.ratio, &d.end_weight, &d.end_ratio}) append(weights, *part);
  }
  indices_ = Array<int, Space>(indices);
  weights_ = Array<float, Space>(weights);
  const int* index = indices_.data();
  const float* weight = weights_.data();
  TransferView t;
  LineMap* maps[] = {&t.x, &t.y, &t.z};
  for (std::size_t d = 0; d < 3; ++d) {
    LineMap& map = *maps[d];
    map.fine = static_cast<int>(directions[d].parent.size());
    map.coarse = static_cast<int>(directions[d].ratio.size());
    map.first = std::exchange(index, index + map.coarse + 1);
    map.parent = std::exchange(index, index + map.fine);
    map.weight = std::exchange(weight, weight + map.fine);
    map.ratio = std::exchange(weight, weight + map.coarse);
    map.end_weight = std::exchange(weight, weight + map.fine);
    map.end_ratio = std::exchange(weight, weight + map.fine);
  }
  t.pairs = pairs;
  return t;
}

template <class Space>
void Levels<Space>::build(std::span<const multigrid::GridLevel> grids, int degree, Right first) {
  levels_.clear();
  recorded_ = std::make_unique<RecordedWork<Space>>();
  for (std::size_t l = 0; l < grids.size(); ++l) {
    Level& level = levels_.emplace_back();
    const auto& line = grids[l].line;
    const Right right = l == 0 ? first : Right::own;
    level.values = Array<float, Space>(values_per_cell(right) * grids[l].count());
    set_zero(level.values);
    level.view = level_view({line[0].size(), line[1].size(), line[2].size()},
                            {line[0].d.periodic, line[1].d.periodic, line[2].d.periodic}, right, level.values.data());
    if (l + 1 == grids.size()) break;
    typename TransferArrays<Space>::Direction directions[3];
    for (std::size_t d = 0; d < 3; ++d)
      directions[d] = TransferArrays<Space>::direction(line[d], grids[l + 1].line[d], grids[l].transfer[d]);
    level.transfer = level.lines.set(directions, line[0].size() == 2 * grids[l + 1].line[0].size());
  }
  const std::int64_t n = grids.back().count();
  inverse_ = Array<double, Space>(n * n);
  work_.resize(static_cast<std::size_t>(n * n));
  download_.resize(static_cast<std::size_t>(levels_.back().values.size()));
  steps_ = chebyshev_steps(degree);
}

template <class Space>
void Levels<Space>::update() {
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l)
    coarsen<Space>(levels_[l].view, levels_[l + 1].view, levels_[l].transfer);
  invert_coarsest();
}

template <class Space>
void Levels<Space>::invert_coarsest() {
  const Level& last = levels_.back();
  last.values.download(download_);
  const LevelView v = [&] {  // view of the host copy
    LevelView h = last.view;
    for (float** part : {&h.ax, &h.ay, &h.az, &h.inverse, &h.excess})
      *part = download_.data() + (*part - last.values.data());
    return h;
  }();
  const int n = v.cells.count();
  Parts parts(n);
  std::vector<double> diagonal(n, 0), excess(n, 0);  // sums over a part
  std::ranges::fill(work_, 0.0);
  for (int c = 0; c < n; ++c) {
    const Around a = around(v.cells, c % v.cells.nx, c / v.cells.nx % v.cells.ny, c / (v.cells.nx * v.cells.ny));
    const auto entry = [&](int row, int column) -> double& { return work_[row * n + column]; };
    const auto inverse = static_cast<double>(v.inverse[c]);
    entry(c, c) += inverse > 0 ? regularisation / inverse + static_cast<double>(v.excess[c]) : 1;
    const std::pair<float, int> links[] = {{v.ax[c], a.west}, {v.ay[c], a.south}, {v.az[c], a.below}};
    for (const auto& [coupling, to] : links) {  // summed in double: keeps the constant in the null space
      const double g = static_cast<double>(coupling);
      if (g > 0) parts.join(c, to);
      entry(c, c) += g;
      entry(to, to) += g;
      entry(c, to) -= g;
      entry(to, c) -= g;
    }
  }
  multigrid::invert_in_place(work_, n);
  for (int c = 0; c < n; ++c) {
    if (!(v.inverse[c] > 0)) continue;
    diagonal[parts.of(c)] += 1 / static_cast<double>(v.inverse[c]);
    excess[parts.of(c)] += static_cast<double>(v.excess[c]);
  }
  // The inverse amplifies the constant of a singular part by 1e5, which would drown the rest for right-hand sides that
  // are compatible only up to rounding. With D the diagonal and w the constant, w' D w = 1, the term w w' /
  // regularisation is replaced by w w'.
  for (int i = 0; i < n; ++i) {
    const int part = parts.of(i);
    const double d = diagonal[part], e = excess[part];
    if (!(v.inverse[i] > 0) || e > regularisation * d) continue;
    const double surplus = (1 / (regularisation + e / d) - 1) / d;
    for (int j = 0; j < n; ++j)
      if (parts.of(j) == part && v.inverse[j] > 0) work_[i * n + j] -= surplus;
  }
  inverse_.upload(work_);
}

template <class Space>
void Levels<Space>::visit(std::size_t l) const {
  const Level& level = levels_[l];
  if (l + 1 == levels_.size()) return solve_coarsest<Space>(level.view, inverse_.data(), {});
  const LevelView& coarse = levels_[l + 1].view;
  descend<Space>(level.view, coarse, level.transfer, steps_, {});
  visit(l + 1);
  ascend<Space>(level.view, coarse, level.transfer, steps_, {}, false);
}

template <class Space>
double Levels<Space>::run(const Ends& ends, bool dot) {
  const Level& finest = levels_[0];
  if (levels_.size() == 1) {
    solve_coarsest<Space>(finest.view, inverse_.data(), ends);
    const std::int64_t n = finest.view.cells.count();
    return dot ? weir::dot<Space>(View<const double>(ends.r, n), View<const double>(ends.z, n)) : 0;
  }
  const LevelView& coarse = levels_[1].view;
  descend<Space>(finest.view, coarse, finest.transfer, steps_, ends);  // r and z vary: not recorded
  recorded_->run([&] { visit(1); });
  return ascend<Space>(finest.view, coarse, finest.transfer, steps_, ends, dot);
}

// Couplings of two or three directions and the inverse diagonal are read each way.
template <class Space>
Work Levels<Space>::work_from(std::size_t l) const {
  Work work;
  const Extents e = first().cells;
  const int dim = e.nx > 1 && e.ny > 1 && e.nz > 1 ? 3 : 2;
  for (; l + 1 < levels_.size(); ++l)
    work += multigrid::work_of_level(levels_[l].view.cells.count(), levels_[l + 1].view.cells.count(), dim + 1,
                                     2 * dim + 1, 2 * static_cast<int>(steps_.size()), 4);
  work += multigrid::work_of_coarsest(levels_.back().view.cells.count(), 8, 4);
  return work;
}

template <class Space>
std::int64_t Levels<Space>::bytes() const {
  std::int64_t bytes = 8 * inverse_.size();
  for (const Level& l : levels_) bytes += 4 * l.values.size() + l.lines.bytes();
  return bytes;
}

template class TransferArrays<Host>;
template class TransferArrays<Device>;
template class Levels<Host>;
template class Levels<Device>;

template <class Space>
std::array<SeparableDirection, 3> judged_directions(const Banded<Space>& A,
                                                    const std::array<SeparableDirection, 3>& cubes, const RankBox& box,
                                                    const Communicator& ranks) {
  std::array<SeparableDirection, 3> direction = cubes;
  std::array<std::vector<double>, 3> largest;
  std::array<double, 3> m{1, 1, 1};
  for (int d = 0; d < 3; ++d) {
    const int n = direction[d].size(), faces = direction[d].periodic ? n : n - 1;
    if (faces < 1) continue;
    Array<double, Space> values(box.size(d));
    largest_couplings<Space>(A.banded(), d, values.data());
    largest[d].assign(n, 0.0);
    const std::vector<double> mine = values.to_vector();
    std::copy(mine.begin(), mine.end(), largest[d].begin() + box.low[d]);
    largest[d].resize(faces);
    for (double& v : largest[d]) v = ranks.max(v);
    const double top = *std::ranges::max_element(largest[d]);
    if (!(top > 0) || !std::isfinite(top)) return cubes;
    for (double& v : largest[d]) v = v > 1e-6 * top ? v : top;  // plane without open faces
    m[d] = *std::ranges::min_element(largest[d]);
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

template std::array<SeparableDirection, 3> judged_directions(const Banded<Host>&,
                                                             const std::array<SeparableDirection, 3>&, const RankBox&,
                                                             const Communicator&);
template std::array<SeparableDirection, 3> judged_directions(const Banded<Device>&,
                                                             const std::array<SeparableDirection, 3>&, const RankBox&,
                                                             const Communicator&);

}  // namespace weir::banded_multigrid
