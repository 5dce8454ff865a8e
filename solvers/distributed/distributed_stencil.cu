#include "solvers/distributed/distributed_stencil.hpp"

#include <utility>

#include "solvers/device/reduce.hpp"

namespace weir {
namespace distributed_kernels {

struct Volumes {
  View<const double> x, y, z;  // 1 / mass
};

// y holds r on entry: y = x + omega M^-1 r; returns r.r and b.b.
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

// y -= factor M^-1 C x_ghost on the border rows, with one number per entry.
template <class Space>
void relax_border(View<const int> row, View<const int> start, View<const int> ghost, View<const double> value,
                  View<const double> inverse_volume, View<const double> x, double factor, View<double> y) {
  for_each<Space>(row.size(), [=] WEIR_HD(int r) {
    double s = 0;
    for (int k = start[r]; k < start[r + 1]; ++k) s += value[k] * x[ghost[k]];
    y[row[r]] -= factor * inverse_volume[r] * s;
  });
}

template <class Space>
double square(View<const double> r) {
  return sum<Space>(r.size(), [=] WEIR_HD(int i) { return r[i] * r[i]; });
}

}  // namespace distributed_kernels

namespace {

// Couplings of a box's unknowns to those of other ranks, at scale 1.
BorderCoupling border_of(const SeparableOperator& whole, const BoxCuts& cuts, int rank) {
  const RankBox box = cuts.box(rank);
  const Periodic periodic{whole.direction[0].periodic, whole.direction[1].periodic, whole.direction[2].periodic};
  std::vector<BorderLink> links = border_links(whole.extents(), periodic, cuts, rank);
  for (BorderLink& link : links) {
    const std::array<int, 3> cell = cell_of(box, link.row);
    const bool low = link.slot < slot::delta;
    const int d = (low ? slot::delta - link.slot : link.slot - slot::delta) - 1;
    const SeparableDirection& line = whole.direction[d];
    link.value = -(low ? line.lower : line.upper)[cell[d]];
    for (int t = 0; t < 3; ++t)
      if (t != d) link.value *= whole.direction[t].mass[cell[t]];
  }
  return BorderCoupling(std::move(links));
}

}  // namespace

namespace {

// The lines of a box, with the couplings across its ends.
SeparableOperator part_of(const SeparableOperator& whole, const RankBox& box) {
  SeparableOperator local = whole;
  for (int d = 0; d < 3; ++d) {
    const SeparableDirection& from = whole.direction[d];
    SeparableDirection& to = local.direction[d];
    if (box.size(d) == from.size()) continue;
    const auto slice = [&](const std::vector<double>& v) {
      std::vector<double> part;
      for (int i = box.low[d]; i < box.high[d]; ++i) part.push_back(v[(i + from.size()) % from.size()]);
      return part;
    };
    to = {slice(from.mass), slice(from.lower), slice(from.upper), slice(from.boundary), false};
  }
  return local;
}

}  // namespace

SeparableOperator restricted(const SeparableOperator& whole, const RankBox& box) {
  SeparableOperator local = part_of(whole, box);
  for (int d = 0; d < 3; ++d) {
    SeparableDirection& to = local.direction[d];
    if (box.size(d) == whole.direction[d].size()) continue;
    to.boundary.front() += std::exchange(to.lower.front(), 0.0);
    to.boundary.back() += std::exchange(to.upper.back(), 0.0);
  }
  return local;
}

template <class Space>
DistributedStencil<Space>::DistributedStencil(const Communicator& ranks, SeparableOperator whole, const BoxCuts& cuts,
                                              const HaloOptions& options)
    : Local{SeparableStencil<Space>(restricted(whole, cuts.box(ranks.rank()))),
            ConnectedBorder(ranks, border_of(whole, cuts, ranks.rank()))},
      DistributedMatrix<Space>(ranks, Local::own_matrix, Local::border.pattern, Local::border.coupling, true,
                               whole.has_constant_null_space(), options),
      whole_(std::move(whole)),
      cuts_(cuts),
      box_(cuts.box(ranks.rank())),
      map_(ranks, places_of(whole_.extents(), box_)) {
  std::vector<double> inverse[3];
  for (int d = 0; d < 3; ++d) {
    for (int i = box_.low[d]; i < box_.high[d]; ++i) inverse[d].push_back(1 / whole_.direction[d].mass[i]);
    inverse_mass_[d] = Array<double, Space>(inverse[d]);
  }
  std::vector<double> border;
  for (const int row : Local::border.coupling.row)
    border.push_back(inverse[0][row % box_.size(0)] * inverse[1][row / box_.size(0) % box_.size(1)] *
                     inverse[2][row / box_.size(0) / box_.size(1)]);
  border_volume_ = Array<double, Space>(border);
  this->factor_ = whole_.scale;
  if (std::is_same_v<Space, Host> && ranks.has_exact_sums() && cuts.parts(0) == 1) {
    joined_ = std::make_unique<SeparableStencil<Space>>(part_of(whole_, box_));
    planes_.connect(Local::border.coupling, Local::border.slots);
  }
  this->name_rows([box = box_](int row) { return cell_name(cell_of(box, row)); });
}

template <class Space>
void DistributedStencil<Space>::set_coefficients(double shift, double scale) {
  whole_.shift = shift;
  whole_.scale = scale;
  Local::own_matrix.set_coefficients(shift, scale);
  this->factor_ = scale;
  if (joined_) joined_->set_coefficients(shift, scale);
}

template <class Space>
void DistributedStencil<Space>::fetch_planes(View<const double> x) const {
  this->fetch(x);
  joined_->use_planes(planes_.take(this->ghosts().data()));
}

template <class Space>
bool DistributedStencil<Space>::exact_product(Product p, const double* b, View<const double> x, View<double> y) const {
  if (!joined_) return false;
  fetch_planes(x);
  joined_->product(p, b, x.data(), y.data());
  return true;
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
  if (joined_) {
    fetch_planes(x);
    return joined_->chebyshev_start(omega, b, x, y);
  }
  this->residual(b, x, y);
  const Extents e = extents_of(box_);
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
    if (joined_) {
      fetch_planes(x);
      joined_->chebyshev_steps(one, b, x, y);
      std::swap(x, y);
      continue;
    }
    this->fetch(x);
    Local::own_matrix.chebyshev_steps(one, b, x, y);
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
