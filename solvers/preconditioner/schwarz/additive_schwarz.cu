#include "solvers/preconditioner/schwarz/additive_schwarz.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/distributed/distributed_stencil.hpp"
#include "solvers/matrix/row_error.hpp"
#include "solvers/parallel/agree.hpp"
#include "solvers/preconditioner/wide_matrix.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace schwarz_kernels {

// wide[place[i]] = r[i], and back
template <class Space>
void spread(View<const int> place, View<const double> r, View<double> wide) {
  for_each<Space>(static_cast<int>(r.size()), [=] WEIR_HD(int i) { wide[place[i]] = r[i]; });
}
template <class Space>
void collect(View<const int> place, View<const double> wide, View<double> z) {
  for_each<Space>(static_cast<int>(z.size()), [=] WEIR_HD(int i) { z[i] = wide[place[i]]; });
}

}  // namespace schwarz_kernels

namespace {

// The rank's box with `layers` more on every side that is cut, where there are as many.
RankBox widened(const SeparableOperator& whole, const BoxCuts& cuts, const RankBox& box, int layers) {
  RankBox wide = box;
  for (int d = 0; d < 3; ++d) {
    const auto s = static_cast<std::size_t>(d);
    if (cuts.parts(d) == 1) continue;
    const int n = whole.direction[s].size();
    wide.low[s] -= layers;
    wide.high[s] += layers;
    if (whole.direction[s].periodic && wide.size(d) < n) continue;
    wide.low[s] = std::max(0, wide.low[s]);
    wide.high[s] = std::min(n, wide.high[s]);
  }
  return wide;
}

}  // namespace

template <class Space>
class AdditiveSchwarz : public Preconditioner<Space> {
 public:
  AdditiveSchwarz(int overlap, std::unique_ptr<Preconditioner<Space>> inner)
      : Preconditioner<Space>(inner->traits()), overlap_(overlap), inner_(std::move(inner)) {
    this->traits_.keeps_symmetry &= overlap == 0;
    this->traits_.is_exact = this->traits_.is_identity = this->traits_.takes_floats = false;
    this->traits_.works_over_ranks = this->traits_.talks_in_setup = this->traits_.depends_on_partition = true;
  }

  SetupInfo setup(const Matrix<Space>& A) override {
    is_wide_ = false;
    const auto* spread = dynamic_cast<const DistributedMatrix<Space>*>(&A);
    if (!spread) return inner_->setup(A);
    if (overlap_ == 0) return together(A, [&] { return inner_->setup(floats_.taken_by(*inner_, spread->local())); });
    const auto* stencil = dynamic_cast<const DistributedStencil<Space>*>(&A);
    if (!stencil)
      throw Error(Exit::usage, "additive_schwarz: overlap > 0 needs a structured scalar system; set overlap = 0");
    widen(*stencil);
    return together(A, [&] { return inner_->setup(*wide_); });
  }
  SetupInfo update(const Matrix<Space>& A) override {
    const auto* stencil = dynamic_cast<const DistributedStencil<Space>*>(&A);
    if (is_wide_ && stencil) {
      wide_->set_coefficients(stencil->whole_operator().shift, stencil->whole_operator().scale);
      return together(A, [&] { return inner_->update(*wide_); });
    }
    const auto* spread = dynamic_cast<const DistributedMatrix<Space>*>(&A);
    return together(A, [&] { return inner_->update(spread ? floats_.taken_by(*inner_, spread->local()) : A); });
  }

  void apply(View<const double> r, View<double> z) const override {
    if (!is_wide_) return inner_->apply(r, z);
    halo_.start(HaloFields::blocks(r.data(), 1));
    schwarz_kernels::spread<Space>(place_, r, wide_r_);
    halo_.finish();
    halo_.unpack(HaloFields::blocks(wide_r_.data(), 1));
    inner_->apply(wide_r_, wide_z_);
    schwarz_kernels::collect<Space>(place_, wide_z_, z);
  }
  bool is_symmetric() const override { return overlap_ == 0 && inner_->is_symmetric(); }
  Work apply_work() const override { return inner_->apply_work(); }  // on this rank
  Work update_work() const override { return inner_->update_work(); }
  std::vector<PartOfApply<Space>> parts() const override {
    return is_wide_ ? std::vector<PartOfApply<Space>>() : inner_->parts();
  }
  std::vector<StoredAs> storage_of_rows() const override {
    return is_wide_ ? std::vector<StoredAs>() : inner_->storage_of_rows();
  }
  FactorObservation observe() const override { return is_wide_ ? FactorObservation() : inner_->observe(); }
  std::string report() const override { return inner_->report(); }
  std::string describe() const override {
    return "additive_schwarz(" + inner_->describe() + " on each rank, overlap " + std::to_string(overlap_) + ")";
  }

 private:
  // What one rank's part refuses all ranks refuse. A row that is the rank's own is named as the whole matrix knows it.
  template <class Call>
  SetupInfo together(const Matrix<Space>& A, const Call& prepare) {
    SetupInfo info;
    const auto named = [&] {
      const auto* spread = dynamic_cast<const DistributedMatrix<Space>*>(&A);
      try {
        info = prepare();
      } catch (const RowError& error) {
        if (!spread || is_wide_) throw;
        throw error.with_name(spread->row_name(error.row()));
      }
    };
    if (A.ranks())
      all_or_none(*A.ranks(), named);
    else
      named();
    return info;
  }

  void widen(const DistributedStencil<Space>& A) {
    const SeparableOperator& whole = A.whole_operator();
    const RankBox own = A.box(), wide = widened(whole, A.cuts(), own, overlap_);
    std::vector<int> place;
    std::vector<GhostRequest> ghosts;
    int n = 0;
    for (int k = wide.low[2]; k < wide.high[2]; ++k)
      for (int j = wide.low[1]; j < wide.high[1]; ++j)
        for (int i = wide.low[0]; i < wide.high[0]; ++i, ++n) add_point(A, own, {i, j, k}, n, place, ghosts);
    place_ = Array<int, Space>(place);
    halo_ = Halo<Space>(*A.ranks(), make_halo_pattern(*A.ranks(), ghosts), 1);
    wide_ = std::make_unique<SeparableStencil<Space>>(restricted(whole, wide));
    wide_r_ = Array<double, Space>(n);
    wide_z_ = Array<double, Space>(n);
    is_wide_ = true;
  }
  static void add_point(const DistributedStencil<Space>& A, const RankBox& own, std::array<int, 3> at, int n,
                        std::vector<int>& place, std::vector<GhostRequest>& ghosts) {
    bool is_own = true;
    for (std::size_t d = 0; d < 3; ++d) {
      const int size = A.whole_operator().direction[d].size();
      at[d] = (at[d] + size) % size;
      is_own = is_own && at[d] >= own.low[d] && at[d] < own.high[d];
    }
    if (is_own) return place.push_back(n);
    const int owner = A.cuts().owner(at[0], at[1], at[2]);
    const RankBox b = A.cuts().box(owner);
    ghosts.push_back({n, owner, ((at[2] - b.low[2]) * b.size(1) + at[1] - b.low[1]) * b.size(0) + at[0] - b.low[0]});
  }

  int overlap_;
  bool is_wide_ = false;
  std::unique_ptr<Preconditioner<Space>> inner_;
  WideMatrix<Space> floats_;
  std::unique_ptr<SeparableStencil<Space>> wide_;
  Array<int, Space> place_;  // of own unknown i among the wide ones
  mutable Halo<Space> halo_;
  mutable Array<double, Space> wide_r_, wide_z_;
};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_additive_schwarz(int overlap,
                                                             std::unique_ptr<Preconditioner<Space>> inner) {
  return std::make_unique<AdditiveSchwarz<Space>>(overlap, std::move(inner));
}
template std::unique_ptr<Preconditioner<Host>> make_additive_schwarz(int, std::unique_ptr<Preconditioner<Host>>);
template std::unique_ptr<Preconditioner<Device>> make_additive_schwarz(int, std::unique_ptr<Preconditioner<Device>>);

namespace {

constexpr Option schwarz_keys[] = {
    {"inner", Option::table, "{ type = \"block_ilu0\" }", "what each rank applies to its part", "preconditioner"},
    {"overlap", Option::integer, "0", "layers around a rank's part; above 0 on structured scalar systems alone",
     "[0, inf)", "layers"}};
constexpr const char* default_inner = "block_ilu0";

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_of_table(const Table& options) {
  const Table t = options.described_by(schwarz_keys), inner = t.table("inner");
  const std::string type = inner.get<std::string>("type", default_inner);
  if (type == "additive_schwarz") inner.fail("type", "additive_schwarz within additive_schwarz");
  return make_additive_schwarz<Space>(t.get<int>("overlap"), make_preconditioner<Space>(type, inner));
}

}  // namespace

constexpr PreconditionerDescription preconditioner::additive_schwarz{
    .name = "additive_schwarz",
    .meaning = "each rank applies a preconditioner of its own to its part, restricted",
    .citation = "Dryja & Widlund 1987; Cai & Sarkis 1999",
    .options = schwarz_keys,
    .matrices = on_any_matrix,
    .over_ranks = on_any_matrix,
    .update_cost = 2,
    .bytes =
        [](const Table& options, const MatrixSize& A) {
          const Table inner = options.table("inner");
          return preconditioner_bytes(inner.get<std::string>("type", default_inner), inner, A);
        },
    .make_host = make_of_table<Host>,
    .make_device = make_of_table<Device>};

}  // namespace weir
