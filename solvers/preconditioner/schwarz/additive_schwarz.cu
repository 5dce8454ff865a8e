#include "solvers/preconditioner/schwarz/additive_schwarz.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "solvers/distributed/box_spread.hpp"
#include "solvers/distributed/distributed_stencil.hpp"
#include "solvers/matrix/row_error.hpp"
#include "solvers/parallel/agree.hpp"
#include "solvers/preconditioner/wide_matrix.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

// The box of a rank with `layers` more on every cut side, as far as they exist.
RankBox widened(const SeparableOperator& whole, const BoxCuts& cuts, RankBox box, int layers) {
  for (int d = 0; d < 3; ++d) {
    if (cuts.parts(d) == 1) continue;
    const int n = whole.direction[d].size();
    box.low[d] -= layers;
    box.high[d] += layers;
    if (whole.direction[d].periodic && box.size(d) < n) continue;
    box.low[d] = std::max(0, box.low[d]);
    box.high[d] = std::min(n, box.high[d]);
  }
  return box;
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

  SetupInfo do_setup(const Matrix<Space>& A) override {
    return prepare(A, [&](const Matrix<Space>& part) { return inner_->setup(part); });
  }
  void save(Archive& to) override { inner_->save(to); }
  void restore(const Matrix<Space>& A, Archive& from) override {
    prepare(A, [&](const Matrix<Space>& part) {
      inner_->restore(part, from);
      return SetupInfo();
    });
  }
  SetupInfo do_update(const Matrix<Space>& A) override {
    const auto* stencil = dynamic_cast<const DistributedStencil<Space>*>(&A);
    if (wide_ && stencil) {
      wide_->set_coefficients(stencil->whole_operator().shift, stencil->whole_operator().scale);
      return together(A, [&] { return inner_->update(*wide_); });
    }
    const auto* spread = dynamic_cast<const DistributedMatrix<Space>*>(&A);
    return together(A, [&] { return inner_->update(spread ? floats_.taken_by(*inner_, spread->local()) : A); });
  }

  void apply(View<const double> r, View<double> z) const override {
    if (!wide_) return inner_->apply(r, z);
    spread_(r.data(), wide_r_.data());
    inner_->apply(wide_r_, wide_z_);
    take_at<Space>(place_, wide_z_, z);
  }
  bool is_symmetric() const override { return overlap_ == 0 && inner_->is_symmetric(); }
  Work apply_work() const override { return inner_->apply_work(); }  // on this rank
  Work update_work() const override { return inner_->update_work(); }
  std::vector<PartOfApply<Space>> parts() const override {
    return wide_ ? std::vector<PartOfApply<Space>>() : inner_->parts();
  }
  FactorObservation observe() const override { return wide_ ? FactorObservation() : inner_->observe(); }
  std::string report() const override { return inner_->report(); }
  std::string complaint(View<const double> r) const override { return wide_ ? "" : inner_->complaint(r); }
  std::string describe() const override {
    return "additive_schwarz(" + inner_->describe() + " on each rank, overlap " + std::to_string(overlap_) + ")";
  }

 private:
  // inner(part): set-up of the inner preconditioner from this rank's part of A.
  template <class Inner>
  SetupInfo prepare(const Matrix<Space>& A, const Inner& inner) {
    wide_.reset();
    if (A.ranks()) inner_->stands_on(A.ranks()->rank(), A.ranks()->size());
    const auto* spread = dynamic_cast<const DistributedMatrix<Space>*>(&A);
    if (!spread) return inner(A);
    if (overlap_ == 0) return together(A, [&] { return inner(floats_.taken_by(*inner_, spread->local())); });
    const auto* stencil = dynamic_cast<const DistributedStencil<Space>*>(&A);
    if (!stencil)
      throw Error(Exit::usage, "additive_schwarz: overlap > 0 needs a structured scalar system; set overlap = 0");
    widen(*stencil);
    return together(A, [&] { return inner(*wide_); });
  }

  // If one rank throws, all ranks throw. A row of this rank is named by its number in the whole matrix.
  template <class Call>
  SetupInfo together(const Matrix<Space>& A, const Call& prepare) {
    SetupInfo info;
    const auto named = [&] {
      const auto* spread = dynamic_cast<const DistributedMatrix<Space>*>(&A);
      try {
        info = prepare();
      } catch (const RowError& error) {
        if (!spread || wide_) throw;
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
    const RankBox wide = widened(whole, A.cuts(), A.box(), overlap_);
    const std::array<int, 3> sizes{whole.direction[0].size(), whole.direction[1].size(), whole.direction[2].size()};
    const auto own_of = [&](int rank) { return A.cuts().box(rank); };
    spread_ = BoxSpread<Space>(*A.ranks(), A.cuts(), sizes, own_of, wide, 1, true, A.halo_options());
    place_ = Array<int, Space>(places_in(A.box(), wide));
    wide_ = std::make_unique<SeparableStencil<Space>>(restricted(whole, wide));
    wide_r_ = Array<double, Space>(extents_of(wide).count());
    wide_z_ = Array<double, Space>(wide_r_.size());
  }

  int overlap_;
  std::unique_ptr<Preconditioner<Space>> inner_;
  WideMatrix<Space> floats_;
  std::unique_ptr<SeparableStencil<Space>> wide_;
  BoxSpread<Space> spread_;
  Array<int, Space> place_;  // positions of the own unknowns among
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
    {"inner", Option::table, "{ type = \"block_ilu0\" }", "preconditioner that each rank applies to its part",
     "preconditioner"},
    {"overlap", Option::integer, "0",
     "overlap of the parts of the ranks; values above 0 are possible for structured scalar systems only", "[0, inf)",
     "layers"}};
constexpr const char* default_inner = "block_ilu0";

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_of_table(const Table& options) {
  const Table t = options.described_by(schwarz_keys), inner = t.table("inner");
  const std::string type = inner.get<std::string>("type", default_inner);
  if (type == "additive_schwarz") inner.fail("type", "additive_schwarz cannot be its own inner preconditioner");
  return make_additive_schwarz<Space>(t.get<int>("overlap"), make_preconditioner<Space>(type, inner));
}

}  // namespace

constexpr PreconditionerDescription preconditioner::additive_schwarz{
    .name = "additive_schwarz",
    .meaning = "restricted additive Schwarz: each rank applies a preconditioner to its own part of the matrix",
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
