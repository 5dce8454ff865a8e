#include "solvers/preconditioner/fast_poisson/fast_poisson.hpp"

#include "base/timer.hpp"
#include "solvers/preconditioner/fast_poisson/distributed_fast_poisson.hpp"
#include "solvers/preconditioner/fast_poisson/fast_poisson_plan.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

template <class Space>
const SeparableOperator& separable(const Matrix<Space>& A) {
  if (!A.separable()) refuse_matrix("fast_poisson", A);
  return *A.separable();
}

}  // namespace

template <class Space>
FastPoisson<Space>::FastPoisson(FastPoissonOptions options)
    : Preconditioner<Space>({.keeps_symmetry = true, .is_exact = true}), options_(std::move(options)) {}
template <class Space>
FastPoisson<Space>::~FastPoisson() = default;

template <class Space>
SetupInfo FastPoisson<Space>::setup(const Matrix<Space>& A) {
  if (!spreads_over(A)) {
    spread_.reset();
    return setup(separable(A));
  }
  spread_ = std::make_unique<DistributedFastPoisson<Space>>(options_);
  return spread_->setup(A);
}
template <class Space>
SetupInfo FastPoisson<Space>::update(const Matrix<Space>& A) {
  if (spreads_over(A)) return spread_ ? spread_->update(A) : setup(A);
  return spread_ ? setup(A) : update(separable(A));
}
template <class Space>
bool FastPoisson<Space>::spreads_over(const Matrix<Space>& A) const {
  return DistributedFastPoisson<Space>::can_spread(A);
}

template <class Space>
SetupInfo FastPoisson<Space>::setup(const SeparableOperator& A) {
  SetupInfo info;
  {
    const ScopedTimer timer(info.seconds);
    check_signs(A);
    sweep_.reset();  // refers to the plan
    plan_ = std::make_unique<FastPoissonPlan>(choose_fast_poisson_plan<Space>(A, options_));
    sweep_ = make_fast_poisson_sweep<Space>(*plan_);
  }
  info.bytes = sweep_->bytes();
  return info;
}

template <class Space>
SetupInfo FastPoisson<Space>::update(const SeparableOperator& A) {
  if (!plan_) return setup(A);
  for (int d = 0; d < 3; ++d)
    if (!(arranged(A, d) == plan_->direction[static_cast<std::size_t>(d)])) return setup(A);
  SetupInfo info;
  const ScopedTimer timer(info.seconds);
  check_signs(A);
  plan_->shift = A.shift;
  plan_->scale = A.scale;
  plan_->singular = A.has_constant_null_space();
  info.bytes = sweep_->bytes();
  return info;
}

template <class Space>
void FastPoisson<Space>::apply(View<const double> r, View<double> z) const {
  spread_ ? spread_->apply(r, z) : sweep_->solve(*plan_, r, z);
}

template <class Space>
Work FastPoisson<Space>::apply_work() const {
  return plan_ && !spread_ ? plan_->work() : Work{};  // over ranks it is not stated
}

template <class Space>
std::string FastPoisson<Space>::describe() const {
  if (spread_) return spread_->describe();
  return plan_ ? "fast_poisson (" + plan_->describe() + ")" : "fast_poisson";
}

namespace {

constexpr Option fast_poisson_keys[] = {
    {"transforms", Option::text, "auto",
     "fast ones wherever they exist, eigenvectors alone, or what is estimated to be cheaper", "auto | fast | matrix"},
    {"tridiagonal", Option::text, "auto", "the direction that keeps its tridiagonal matrices", "auto | none | y | z"}};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_fast_poisson(const Table& options) {
  const Table t = options.described_by(fast_poisson_keys);
  return std::make_unique<FastPoisson<Space>>(
      FastPoissonOptions{t.get<std::string>("transforms"), t.get<std::string>("tridiagonal")});
}

}  // namespace

constexpr PreconditionerDescription preconditioner::fast_poisson{
    .name = "fast_poisson",
    .meaning = "direct solution by fast diagonalisation, exact",
    .citation = "Lynch, Rice & Thomas 1964",
    .options = fast_poisson_keys,
    .matrices = on_stencil,
    .over_ranks = on_stencil,
    .update_cost = 2,
    .bytes = [](const Table&, const MatrixSize& A) { return 8 * A.unknowns(); },
    .make_host = make_fast_poisson<Host>,
    .make_device = make_fast_poisson<Device>};

template class FastPoisson<Host>;
template class FastPoisson<Device>;

}  // namespace weir
