#include "solvers/preconditioner/multigrid/banded/banded_multigrid.hpp"

#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/timer.hpp"
#include "solvers/matrix/stencil/banded.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/preconditioner/multigrid/banded/banded_multigrid_levels.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace mg = banded_multigrid;
namespace {

template <class Space>
const Banded<Space>& banded(const Matrix<Space>& A) {
  const auto* b = dynamic_cast<const Banded<Space>*>(&A);
  if (!b) refuse_matrix("multigrid", A);
  if (!b->is_symmetric()) throw Error(Exit::usage, "multigrid of a banded matrix needs a symmetric one");
  return *b;
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
    const RankBox all{{0, 0, 0}, {cells_.nx, cells_.ny, cells_.nz}};
    grid.direction =
        A.has_grid() ? A.directions() : mg::judged_directions<Space>(A, A.directions(), all, Communicator());
    const auto order = multigrid::order_of_lines(grid);
    constexpr int towards_smaller[] = {slot::gamma, slot::beta, slot::alpha};
    for (std::size_t d = 0; d < 3; ++d) slots_[d] = towards_smaller[order[d]];
    const auto grids = multigrid::make_grids(grid, {mg::merge_factor, mg::reduction, coarse_size_});
    levels_.build(grids, degree_, mg::Right::callers);
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
    scale_ = mg::scale_of(mg::largest_diagonal<Space>(A.banded()));
    mg::load_bands<Space>(A.banded(), slots_, scale_, levels_.first());
    levels_.update();
  }
  info.levels = static_cast<int>(levels_.count());
  info.colours = 1;
  info.bytes = levels_.bytes();
  return info;
}

template <class Space>
void BandedMultigrid<Space>::apply(View<const double> r, View<double> z) const {
  levels_.run({r.data(), z.data(), scale_}, false);
}
template <class Space>
double BandedMultigrid<Space>::apply_dot(View<const double> r, View<double> z) const {
  return levels_.run({r.data(), z.data(), scale_}, true);
}

template <class Space>
Work BandedMultigrid<Space>::apply_work() const {
  if (levels_.empty()) return {};
  Work work = levels_.work_from(0);
  work += {16 * std::int64_t{cells_.count()}, 0};  // r, z
  return work;
}

template <class Space>
std::vector<PartOfApply<Space>> BandedMultigrid<Space>::parts() const {
  std::vector<PartOfApply<Space>> parts;
  for (std::size_t l = 1; l < levels_.count(); ++l)
    parts.push_back({"levels from " + std::to_string(l), levels_.work_from(l),
                     [this, l](View<const double>, View<double>) { levels_.visit(l); }});
  return parts;
}

template <class Space>
std::string BandedMultigrid<Space>::describe() const {
  return "multigrid (V cycle, Chebyshev of degree " + std::to_string(degree_) + " before and after, single precision" +
         (levels_.empty() ? "" : ", " + std::to_string(levels_.count()) + " levels") + ")";
}

template class BandedMultigrid<Host>;
template class BandedMultigrid<Device>;

}  // namespace weir
