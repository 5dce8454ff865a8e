#include "solvers/preconditioner/multigrid/multigrid.hpp"

#include "base/error.hpp"
#include "base/timer.hpp"
#include "solvers/matrix/stencil/banded.hpp"
#include "solvers/matrix/stencil/separable_operator.hpp"
#include "solvers/preconditioner/multigrid/banded/banded_multigrid.hpp"
#include "solvers/preconditioner/multigrid/distributed/distributed_multigrid.hpp"
#include "solvers/preconditioner/multigrid/multigrid_cycle.hpp"
#include "solvers/preconditioner/schwarz/additive_schwarz.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

template <class Space>
const SeparableOperator& separable(const Matrix<Space>& A) {
  const auto* spread = dynamic_cast<const DistributedStencil<Space>*>(&A);
  const SeparableOperator* s = spread ? &spread->whole_operator() : A.separable();
  if (!s) refuse_matrix("multigrid", A);
  return *s;
}

template <class Space>
bool is_banded(const Matrix<Space>& A) {
  return dynamic_cast<const Banded<Space>*>(&A) || dynamic_cast<const DistributedBanded<Space>*>(&A);
}

}  // namespace

template <class Space>
Multigrid<Space>::Multigrid(const MultigridOptions& options)
    : Preconditioner<Space>({.keeps_symmetry = options.cycle == "V" && options.pre == options.post && options.symmetric,
                             .storage = options.storage == "float" ? StoredAs::float32 : StoredAs::float64}),
      options_(options) {}
template <class Space>
Multigrid<Space>::~Multigrid() = default;

template <class Space>
SetupInfo Multigrid<Space>::setup(const Matrix<Space>& A) {
  operator_.reset();
  cycle_.reset();
  instead_.reset();
  if (is_banded(A)) {
    if (spreads_over(A))
      instead_ =
          std::make_unique<DistributedMultigrid<Space>>(options_.pre + 1, options_.coarse_size, options_.gather_size);
    else
      instead_ = std::make_unique<BandedMultigrid<Space>>(options_.pre + 1, options_.coarse_size);
    return instead_->setup(A);
  }
  double seconds = 0;
  {
    ScopedTimer timer(seconds);
    operator_ = std::make_unique<SeparableOperator>(separable(A));
    const auto* spread = dynamic_cast<const DistributedStencil<Space>*>(&A);
    cycle_ = spread ? multigrid::make_distributed_cycle<Space>(*spread, options_)
                    : multigrid::make_cycle<Space>(*operator_, options_);
    if (cycle_) cycle_->update(operator_->shift, operator_->scale, operator_->has_constant_null_space());
  }
  if (cycle_) return info(seconds);
  operator_.reset();
  instead_ = make_gathered<Space>("multigrid", std::make_unique<Multigrid>(options_));
  return instead_->setup(A);
}

template <class Space>
SetupInfo Multigrid<Space>::update(const Matrix<Space>& A) {
  if (instead_) return instead_->update(A);
  if (is_banded(A)) return setup(A);
  const SeparableOperator& s = separable(A);
  if (!operator_ || s.direction != operator_->direction) return setup(A);
  double seconds = 0;
  {
    ScopedTimer timer(seconds);
    operator_->shift = s.shift;
    operator_->scale = s.scale;
    cycle_->update(s.shift, s.scale, s.has_constant_null_space());
  }
  return info(seconds);
}

template <class Space>
SetupInfo Multigrid<Space>::info(double seconds) const {
  SetupInfo i;
  i.levels = cycle_->levels();
  i.colours = options_.smoother == "red_black" ? 2 : 1;
  i.bytes = cycle_->bytes();
  i.seconds = seconds;
  return i;
}

template <class Space>
void Multigrid<Space>::apply(View<const double> r, View<double> z) const {
  instead_ ? instead_->apply(r, z) : cycle_->apply(r, z);
}

template <class Space>
double Multigrid<Space>::apply_dot(View<const double> r, View<double> z) const {
  return instead_ ? instead_->apply_dot(r, z) : cycle_->apply_dot(r, z);
}

template <class Space>
bool Multigrid<Space>::is_symmetric() const {
  return instead_ ? instead_->is_symmetric() : this->traits_.keeps_symmetry;
}

template <class Space>
bool Multigrid<Space>::spreads_over(const Matrix<Space>& A) const {
  if (dynamic_cast<const DistributedStencil<Space>*>(&A))
    return A.ranks()->size() > 1 && A.unknowns() > options_.gather_size;
  return DistributedMultigrid<Space>::can_spread(A, options_.gather_size);
}

template <class Space>
Work Multigrid<Space>::apply_work() const {
  return instead_ ? instead_->apply_work() : cycle_ ? cycle_->work() : Work{};
}

template <class Space>
std::vector<PartOfApply<Space>> Multigrid<Space>::parts() const {
  return instead_ ? instead_->parts() : std::vector<PartOfApply<Space>>{};
}

template <class Space>
std::string Multigrid<Space>::describe() const {
  if (instead_) return instead_->describe();
  std::string s = "multigrid (" + options_.cycle + "(" + std::to_string(options_.pre) + "," +
                  std::to_string(options_.post) + (options_.symmetric ? ") cycle, " : ") cycle forwards, ") +
                  options_.smoother + (options_.storage == "float" ? ", single precision" : ", double precision");
  if (cycle_) s += ", " + cycle_->describe();
  return s + ")";
}

namespace {

constexpr Option multigrid_keys[] = {
    {"cycle", Option::text, "V", "F: the coarser grid is visited twice, by an F and then by a V cycle (not symmetric)",
     "V | F"},
    {"pre", Option::integer, "2", "before the correction (banded: the degree of the smoother is one more)", "[1, inf)",
     "sweeps"},
    {"post", Option::integer, "2", "after the correction", "[1, inf)", "sweeps"},
    {"symmetric", Option::boolean, "true",
     "post-smoothing runs backwards; forwards a cycle by itself converges faster, but cg is then the flexible one"},
    {"smoother", Option::text, "red_black",
     "Gauss-Seidel by two colours, over-relaxed; Jacobi damped by 0.8; a second-order polynomial in D^-1 A",
     "red_black | jacobi | chebyshev"},
    {"storage", Option::text, "float", "of everything inside the cycle", "double | float", "",
     "precision, single=float"},
    {"coarse_size", Option::integer, "64", "the first grid of at most so many is solved directly", "[1, 4096]",
     "unknowns"},
    {"gather_size", Option::integer, "32768",
     "over ranks: what is below a grid of at most so many is done by the root rank", "[1, inf)", "unknowns"}};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_multigrid(const Table& options) {
  const Table t = options.described_by(multigrid_keys);
  MultigridOptions o;
  o.cycle = t.get<std::string>("cycle");
  o.pre = t.get<int>("pre");
  o.post = t.get<int>("post");
  o.symmetric = t.get<bool>("symmetric");
  o.smoother = t.get<std::string>("smoother");
  o.storage = t.get<std::string>("storage");
  o.coarse_size = t.get<int>("coarse_size");
  o.gather_size = t.get<int>("gather_size");
  return std::make_unique<Multigrid<Space>>(o);
}

}  // namespace

constexpr PreconditionerDescription preconditioner::multigrid{
    .name = "multigrid",
    .meaning = "geometric multigrid on a tensor grid, coarsened where points lie closest",
    .citation = "Trottenberg, Oosterlee & Schueller 2001",
    .options = multigrid_keys,
    .matrices = on_stencil | on_banded,
    .over_ranks = on_stencil | on_banded,
    .update_cost = 3,
    .bytes = [](const Table&, const MatrixSize& A) { return 36 * A.unknowns(); },
    .make_host = make_multigrid<Host>,
    .make_device = make_multigrid<Device>};

template class Multigrid<Host>;
template class Multigrid<Device>;

}  // namespace weir
