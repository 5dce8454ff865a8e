#include "solvers/preconditioner/multigrid/multigrid.hpp"

#include "solvers/distributed/distributed_banded.hpp"
#include "solvers/distributed/distributed_stencil.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/preconditioner/schwarz/additive_schwarz.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

template <class Space>
bool is_banded(const Matrix<Space>& A) {
  return dynamic_cast<const Banded<Space>*>(&A) || dynamic_cast<const DistributedBanded<Space>*>(&A);
}

}  // namespace

template <class Space>
Multigrid<Space>::Multigrid(const MultigridOptions& options)
    : Preconditioner<Space>({.keeps_symmetry = multigrid::keeps_symmetry(options),
                             .storage = options.storage == "float" ? StoredAs::float32 : StoredAs::float64}),
      options_(options),
      cycle_(multigrid::make_separable_cycle<Space>(options)) {}

template <class Space>
void Multigrid<Space>::prefer_symmetry() {
  if (options_.symmetric) return;
  options_.symmetric = true;
  this->traits_.keeps_symmetry = multigrid::keeps_symmetry(options_);
  cycle_ = multigrid::make_separable_cycle<Space>(options_);
}

template <class Space>
SetupInfo Multigrid<Space>::do_setup(const Matrix<Space>& A) {
  is_banded_ = is_banded(A);
  cycle_.reset();  // frees the memory before the next allocation
  cycle_ =
      *is_banded_ ? multigrid::make_banded_cycle<Space>(options_) : multigrid::make_separable_cycle<Space>(options_);
  const SetupInfo info = cycle_->setup(A);
  if (info.levels > 0) return info;
  cycle_ = make_gathered<Space>("multigrid", std::make_unique<Multigrid>(options_));
  return cycle_->setup(A);
}

template <class Space>
SetupInfo Multigrid<Space>::do_update(const Matrix<Space>& A) {
  return is_banded_ == is_banded(A) ? cycle_->update(A) : do_setup(A);
}

// True if each rank gets its own levels.
template <class Space>
bool Multigrid<Space>::spreads_over(const Matrix<Space>& A) const {
  if (!A.ranks() || A.ranks()->size() == 1 || A.unknowns() <= options_.gather_size) return false;
  if (dynamic_cast<const DistributedStencil<Space>*>(&A)) return true;
  const auto* banded = dynamic_cast<const DistributedBanded<Space>*>(&A);
  return banded && banded->whole().nx > 1 && banded->whole().ny > 1;
}

namespace {

constexpr Option multigrid_keys[] = {
    {"pre", Option::integer, "2", "number of pre-smoothing sweeps (banded storage: Chebyshev degree minus one)",
     "[1, inf)", "sweeps"},
    {"post", Option::integer, "2", "number of post-smoothing sweeps", "[1, inf)", "sweeps"},
    {"symmetric", Option::boolean, "depends: false, with pipelined_cg true",
     "switch for post-smoothing in reverse order, which makes the cycle symmetric; false: faster convergence (cg and "
     "all methods for nonsymmetric matrices accept it; pipelined_cg requires true)"},
    {"smoother", Option::text, "red_black",
     "smoother; red_black: over-relaxed red-black Gauss-Seidel; chebyshev: Chebyshev polynomial in D^-1 A",
     "red_black | chebyshev"},
    {"storage", Option::text, "float", "storage of all values inside the cycle", "double | float", "",
     "precision, single=float"},
    {"coarse_size", Option::integer, "depends: 4096 for a tensor grid, else 64",
     "largest number of unknowns of the coarsest grid, which is solved directly", "[1, 4096]", "unknowns"},
    {"gather_size", Option::integer, "32768",
     "largest number of unknowns of a grid that is gathered and solved on rank 0 (parallel runs)", "[1, inf)",
     "unknowns"}};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_multigrid(const Table& options) {
  const Table t = options.described_by(multigrid_keys);
  MultigridOptions o;
  read_keys(t, "pre", o.pre, "post", o.post, "smoother", o.smoother);
  if (t.has("symmetric")) o.symmetric = t.get("symmetric", false);
  if (t.has("coarse_size")) o.coarse_size = t.get("coarse_size", 0);
  read_keys(t, "storage", o.storage, "gather_size", o.gather_size);
  return std::make_unique<Multigrid<Space>>(o);
}

}  // namespace

constexpr PreconditionerDescription preconditioner::multigrid{
    .name = "multigrid",
    .meaning = "geometric multigrid on a tensor grid, coarsened in the directions with the smallest cells",
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
