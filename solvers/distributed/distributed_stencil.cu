#include "solvers/distributed/distributed_stencil.hpp"

#include <algorithm>
#include <utility>

#include "solvers/device/reduce.hpp"

namespace weir {
namespace distributed_kernels {

struct Volumes {
  View<const double> x, y, z;  // 1 / mass
};

// y holds r: y = x + omega M^-1 r, returns r.r and b.b
template <class Space>
Pair start_from_residual(Extents e, const Volumes& volumes, double omega, View<const double> b, View<const double> x,
                         View<double> y) {
  const Volumes v = volumes;
  return sum2<Space>(e.count(), [=] WEIR_HD(int c) {
    const double r = y[c];
    y[c] = x[c] + omega * v.x[c % e.nx] * v.y[c / e.nx % e.ny] * v.z[c / e.nx / e.ny] * r;
    return Pair{r * r, b[c] * b[c]};
  });
}

// y -= factor M^-1 C x_ghost on the border rows, each of whose entries is one number.
template <class Space>
void relax_border(View<const int> row, View<const int> start, View<const int> ghost, View<const double> value,
                  View<const double> inverse_volume, View<const double> x, double factor, View<double> y) {
  for_each<Space>(static_cast<int>(row.size()), [=] WEIR_HD(int r) {
    double s = 0;
    for (int k = start[r]; k < start[r + 1]; ++k) s += value[k] * x[ghost[k]];
    y[row[r]] -= factor * inverse_volume[r] * s;
  });
}

template <class Space>
double square(View<const double> r) {
  return sum<Space>(static_cast<int>(r.size()), [=] WEIR_HD(int i) { return r[i] * r[i]; });
}

}  // namespace distributed_kernels

namespace {

std::size_t at(int d) { return static_cast<std::size_t>(d); }

std::vector<int> places_of(const SeparableOperator& whole, const RankBox& b) {
  const Extents e = whole.extents();
  std::vector<int> place;
  for (int k = b.low[2]; k < b.high[2]; ++k)
    for (int j = b.low[1]; j < b.high[1]; ++j)
      for (int i = b.low[0]; i < b.high[0]; ++i) place.push_back(e.index(i, j, k));
  return place;
}

// Ghosts and border rows of a box, side by side: a ghost belongs to one row, a row at an edge has several ghosts.
class Border {
 public:
  Border(const SeparableOperator& whole, const BoxCuts& cuts, int rank)
      : whole_(whole), cuts_(cuts), box_(cuts.box(rank)) {
    for (int d = 0; d < 3; ++d)
      for (int end = 0; end < 2 && cuts.parts(d) > 1; ++end) add_side(d, end);
    std::stable_sort(links_.begin(), links_.end(), [](const Link& a, const Link& b) { return a.row < b.row; });
  }

  std::vector<GhostRequest> requests() const {
    std::vector<GhostRequest> all;
    for (std::size_t n = 0; n < links_.size(); ++n)
      all.push_back({static_cast<int>(n), links_[n].owner, links_[n].index});
    return all;
  }
  // The halo sorts ghosts by owner: `pattern.receive` names the link of each ghost.
  Coupling coupling(const HaloPattern& pattern) const {
    std::vector<int> ghost_of(links_.size());
    for (std::size_t g = 0; g < pattern.receive.size(); ++g)
      ghost_of[static_cast<std::size_t>(pattern.receive[g])] = static_cast<int>(g);
    Coupling c;
    for (std::size_t n = 0; n < links_.size(); ++n) {
      if (c.row.empty() || c.row.back() != links_[n].row) {
        if (!c.row.empty()) c.start.push_back(static_cast<int>(n));
        c.row.push_back(links_[n].row);
      }
      c.ghost.push_back(ghost_of[n]);
      c.value.push_back(links_[n].value);
    }
    if (!c.row.empty()) c.start.push_back(static_cast<int>(links_.size()));
    return c;
  }

 private:
  struct Link {
    int row, owner, index;
    double value;  // at scale 1
  };

  void add_side(int d, int end) {
    const SeparableDirection& line = whole_.direction[at(d)];
    const int edge = end == 0 ? box_.low[at(d)] : box_.high[at(d)] - 1;
    int beyond = end == 0 ? edge - 1 : edge + 1;
    if ((beyond < 0 || beyond >= line.size()) && !line.periodic) return;
    beyond = (beyond + line.size()) % line.size();
    const double along = end == 0 ? line.lower[at(edge)] : line.upper[at(edge)];
    RankBox plane = box_;
    plane.low[at(d)] = edge;
    plane.high[at(d)] = edge + 1;
    for (int k = plane.low[2]; k < plane.high[2]; ++k)
      for (int j = plane.low[1]; j < plane.high[1]; ++j)
        for (int i = plane.low[0]; i < plane.high[0]; ++i) {
          const std::array<int, 3> cell{i, j, k};
          std::array<int, 3> other = cell;
          other[at(d)] = beyond;
          double value = -along;
          for (int t = 0; t < 3; ++t)
            if (t != d) value *= whole_.direction[at(t)].mass[at(cell[at(t)])];
          const int owner = cuts_.owner(other[0], other[1], other[2]);
          links_.push_back({local_index(box_, cell), owner, local_index(cuts_.box(owner), other), value});
        }
  }
  static int local_index(const RankBox& b, const std::array<int, 3>& c) {
    return ((c[2] - b.low[2]) * b.size(1) + c[1] - b.low[1]) * b.size(0) + c[0] - b.low[0];
  }

  const SeparableOperator& whole_;
  const BoxCuts& cuts_;
  RankBox box_;
  std::vector<Link> links_;
};

}  // namespace

RankBox BoxCuts::box(int rank) const {
  const int part[3] = {rank % parts(0), rank / parts(0) % parts(1), rank / parts(0) / parts(1)};
  RankBox b;
  for (int d = 0; d < 3; ++d) {
    b.low[at(d)] = begin[at(d)][at(part[d])];
    b.high[at(d)] = begin[at(d)][at(part[d]) + 1];
  }
  return b;
}
int BoxCuts::owner(int i, int j, int k) const {
  const int cell[3] = {i, j, k};
  int part[3];
  for (int d = 0; d < 3; ++d) {
    const auto& b = begin[at(d)];
    part[d] = static_cast<int>(std::upper_bound(b.begin(), b.end() - 1, cell[d]) - b.begin()) - 1;
  }
  return (part[2] * parts(1) + part[1]) * parts(0) + part[0];
}

BoxCuts cuts_of(const BlockPartition& cells, std::array<int, 3> first, std::array<int, 3> last) {
  BoxCuts c;
  for (int d = 0; d < 3; ++d) {
    const int parts = cells.parts()[at(d)];
    for (int p = 0; p <= parts; ++p) c.begin[at(d)].push_back(std::max(0, cells.begin(d, p) - first[at(d)]));
    c.begin[at(d)].back() -= last[at(d)];
  }
  return c;
}

SeparableOperator restricted(const SeparableOperator& whole, const RankBox& box) {
  SeparableOperator local = whole;
  for (int d = 0; d < 3; ++d) {
    const SeparableDirection& from = whole.direction[at(d)];
    SeparableDirection& to = local.direction[at(d)];
    if (box.size(d) == from.size()) continue;
    const auto slice = [&](const std::vector<double>& v) {
      std::vector<double> part;
      for (int i = box.low[at(d)]; i < box.high[at(d)]; ++i) part.push_back(v[at((i + from.size()) % from.size())]);
      return part;
    };
    to = {slice(from.mass), slice(from.lower), slice(from.upper), slice(from.boundary), false};
    to.boundary.front() += std::exchange(to.lower.front(), 0.0);
    to.boundary.back() += std::exchange(to.upper.back(), 0.0);
  }
  return local;
}

template <class Space>
struct DistributedStencil<Space>::Parts {
  Parts(const Communicator& ranks, const SeparableOperator& whole, const BoxCuts& cuts) {
    const Border border(whole, cuts, ranks.rank());
    pattern = make_halo_pattern(ranks, border.requests());
    coupling = border.coupling(pattern);
  }
  HaloPattern pattern;
  Coupling coupling;
};

template <class Space>
DistributedStencil<Space>::DistributedStencil(const Communicator& ranks, SeparableOperator whole, const BoxCuts& cuts,
                                              const HaloOptions& options)
    : DistributedStencil(ranks, whole, cuts, options, Parts(ranks, whole, cuts)) {}

template <class Space>
DistributedStencil<Space>::DistributedStencil(const Communicator& ranks, SeparableOperator whole, const BoxCuts& cuts,
                                              const HaloOptions& options, const Parts& parts)
    : LocalStencil<Space>{SeparableStencil<Space>(restricted(whole, cuts.box(ranks.rank())))},
      DistributedMatrix<Space>(ranks, LocalStencil<Space>::stencil, parts.pattern, parts.coupling, true,
                               whole.has_constant_null_space(), options),
      whole_(std::move(whole)),
      cuts_(cuts),
      box_(cuts.box(ranks.rank())),
      map_(ranks, places_of(whole_, box_)) {
  std::vector<double> inverse[3];
  for (int d = 0; d < 3; ++d) {
    for (int i = box_.low[at(d)]; i < box_.high[at(d)]; ++i)
      inverse[d].push_back(1 / whole_.direction[at(d)].mass[at(i)]);
    inverse_mass_[d] = Array<double, Space>(inverse[d]);
  }
  std::vector<double> border;
  for (const int row : parts.coupling.row)
    border.push_back(inverse[0][at(row % box_.size(0))] * inverse[1][at(row / box_.size(0) % box_.size(1))] *
                     inverse[2][at(row / box_.size(0) / box_.size(1))]);
  border_volume_ = Array<double, Space>(border);
  this->factor_ = whole_.scale;
}

template <class Space>
void DistributedStencil<Space>::set_coefficients(double shift, double scale) {
  whole_.shift = shift;
  whole_.scale = scale;
  this->stencil.set_coefficients(shift, scale);
  this->factor_ = scale;
}

template <class Space>
std::unique_ptr<Matrix<Space>> DistributedStencil<Space>::make_whole() const {
  if (!this->ranks()->is_root()) return nullptr;
  return std::make_unique<SeparableStencil<Space>>(whole_);
}
template <class Space>
void DistributedStencil<Space>::update_whole(Matrix<Space>* whole) const {
  if (whole) dynamic_cast<SeparableStencil<Space>&>(*whole).set_coefficients(whole_.shift, whole_.scale);
}

template <class Space>
Pair DistributedStencil<Space>::chebyshev_start(double omega, View<const double> b, View<const double> x,
                                                View<double> y) const {
  this->residual(b, x, y);
  const Extents e{box_.size(0), box_.size(1), box_.size(2)};
  return distributed_kernels::start_from_residual<Space>(
      e, {inverse_mass_[0].view(), inverse_mass_[1].view(), inverse_mass_[2].view()}, omega, b, x, y);
}

template <class Space>
double DistributedStencil<Space>::chebyshev_steps(const ChebyshevSteps& steps, View<const double> b, View<double> x,
                                                  View<double> y) const {
  for (int p = 0; p < steps.count; ++p) {
    ChebyshevSteps one;
    one.count = 1;
    one.alpha[0] = steps.alpha[p];
    one.omega[0] = steps.omega[p];
    this->fetch(x);
    this->stencil.chebyshev_steps(one, b, x, y);
    this->halo_.finish();
    distributed_kernels::relax_border<Space>(this->row_, this->start_, this->ghost_, this->value_, border_volume_,
                                             this->halo_.ghosts(), steps.omega[p] * this->factor_, y);
    std::swap(x, y);
  }
  if (!steps.residual) return 0;
  this->residual(b, x, y);
  return distributed_kernels::square<Space>(y);
}

template class DistributedStencil<Host>;
template class DistributedStencil<Device>;

}  // namespace weir
