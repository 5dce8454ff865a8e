#include "solvers/preconditioner/multigrid/multigrid.hpp"

#include "base/error.hpp"
#include "solvers/matrix/block/block_rows.hpp"
#include "solvers/matrix/stencil/banded.hpp"
#include "solvers/matrix/stencil/separable_operator.hpp"
#include "solvers/preconditioner/multigrid/banded/banded_multigrid.hpp"
#include "solvers/preconditioner/multigrid/distributed/distributed_cycle.hpp"
#include "solvers/preconditioner/multigrid/distributed/distributed_multigrid.hpp"
#include "solvers/preconditioner/schwarz/additive_schwarz.hpp"
#include "solvers/preconditioner/multigrid/multigrid_cycle.hpp"
#include "base/timer.hpp"

namespace weir {
namespace {

template <class Space>
const SeparableOperator& separable(const Matrix<Space>& A) {
  const auto* spread = dynamic_cast<const DistributedStencil<Space>*>(&A);
  const SeparableOperator* s = spread ? &spread->whole_operator() : A.separable();
  if (!s) refuse_matrix("geometric multigrid", "the stencil of a structured grid", A);
  return *s;
}

template <class Space>
bool is_banded(const Matrix<Space>& A) {
  return dynamic_cast<const Banded<Space>*>(&A) || dynamic_cast<const DistributedBanded<Space>*>(&A);
}

int positive(const Table& t, const char* key, int fallback) {
  const int v = t.get(key, fallback);
  if (v < 1) t.fail(key, std::string(key) + " must be at least 1");
  return v;
}

}  // namespace

MultigridOptions read_multigrid_options(const Table& t) {
  MultigridOptions o;
  o.cycle = t.choice("cycle", {"V", "F"}, o.cycle);
  o.pre = positive(t, "pre", o.pre);
  o.post = positive(t, "post", o.post);
  o.symmetric = t.get("symmetric", o.symmetric);
  o.smoother = t.choice("smoother", {"red_black", "jacobi", "chebyshev"}, o.smoother);
  o.precision = t.choice("precision", {"single", "double"}, o.precision);
  o.coarse_size = positive(t, "coarse_size", o.coarse_size);
  o.gather_size = positive(t, "gather_size", o.gather_size);
  if (o.coarse_size > 4096)
    t.fail("coarse_size", "coarse_size: the inverse of the coarsest operator is dense; at most 4096");
  return o;
}

template <class Space>
Multigrid<Space>::Multigrid(const MultigridOptions& options) : options_(options) {}
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
  if (instead_) return instead_->is_symmetric();
  return options_.cycle == "V" && options_.pre == options_.post && options_.symmetric;
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
                  options_.smoother + ", " + options_.precision + " precision";
  if (cycle_) s += ", " + cycle_->describe();
  return s + ")";
}

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_multigrid(const Table& options) {
  return std::make_unique<Multigrid<Space>>(read_multigrid_options(options));
}

template class Multigrid<Host>;
template class Multigrid<Device>;
template std::unique_ptr<Preconditioner<Host>> make_multigrid<Host>(const Table&);
template std::unique_ptr<Preconditioner<Device>> make_multigrid<Device>(const Table&);

}  // namespace weir
