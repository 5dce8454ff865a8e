#include "miniapps/compressible/convergence/coarse_start.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "inputs/case.hpp"
#include "mesh/unstructured/carry_over.hpp"
#include "miniapps/compressible/read_flow.hpp"
#include "postproc/run/machine.hpp"

namespace weir {
namespace {

constexpr double least_refinement = 0.2,
                 least_cells = 1500;  // the generators take the former; fewer cells may need less

bool is_possible(std::span<const double> U) {
  if (U.size() == 6 && !(U[4] > 0 && U[5] > 0)) return false;  // k, omega
  return U[0] > 0 && U[3] - 0.5 * (U[1] * U[1] + U[2] * U[2]) / U[0] > 0;
}

// Steps until the residual of the scheme itself has fallen to coarse_tolerance.
template <class Space>
class CoarseMarch {
 public:
  CoarseMarch(CompressibleFlow<Space>& flow, const CoarseStop& stop) : flow_(flow), stop_(stop) {}

  CoarseMesh march(bool is_coarsest) {
    const PseudoTimeOptions& o = flow_.c.pseudo_time;
    PseudoTime<Space>& pseudo = flow_.pseudo;
    const int order = flow_.c.scheme.order;
    CoarseMesh done{.cells = flow_.cells};
    pseudo.start_phase(is_coarsest && o.first_order_tolerance > 0 ? 1 : order);
    while (done.steps < o.max_steps && !stop_.before_step() && !done.failed) {
      const Attempt a = step(o.max_rejections);
      done.failed = !a.accepted && !a.is_interrupted();
      if (!a.accepted) break;
      ++done.steps;
      const bool is_low = pseudo.control.order < order;
      if (pseudo.drop() > (is_low ? o.first_order_tolerance : o.coarse_tolerance)) continue;
      if (!is_low) break;
      pseudo.start_phase(order);
    }
    done.drop = pseudo.drop();
    done.iterations = pseudo.control.linear_iterations;
    return done;
  }

 private:
  Attempt step(int most_rejections) {
    Attempt a = flow_.pseudo.attempt(apart_);
    for (int r = 0; r < most_rejections && !a.accepted && !a.is_interrupted() && !flow_.pseudo.has_collapsed(); ++r)
      a = flow_.pseudo.attempt(apart_);
    return a;
  }

  CompressibleFlow<Space>& flow_;
  const CoarseStop& stop_;
  Timings apart_;  // the run has one line for all of it
};

// The state of `to` from the flow of cases[next], which begins on cases[next + 1].
template <class Space>
void begin(std::span<const Table> cases, const Communicator& ranks, const CoarseStop& stop,
           std::vector<CoarseMesh>& meshes, CompressibleFlow<Space>& to) {
  if (cases.empty()) return;
  const ReadCase read(cases.front(), ranks);
  BuiltFlow<Space> built(read, cases.front(), ranks);
  CompressibleFlow<Space>& flow = built.flow;
  flow.set_outside(0);
  flow.pseudo.solver().stop_when(stop.within_solve);
  begin(cases.subspan(1), ranks, stop, meshes, flow);
  meshes.push_back(CoarseMarch<Space>(flow, stop).march(cases.size() == 1));
  const std::vector<double> U = flow.on_host();
  std::vector<double> all;  // on rank 0, which has both meshes
  if (ranks.is_root()) all = carried_over(read.mesh, U, flow.values, to.whole.centre, is_possible);
  to.pseudo.state().upload(to.ranks ? to.ranks->from_root(all, to.values, to.own_cells()) : all);
  to.pseudo.control.cfl = std::sqrt(read.c.pseudo_time.cfl_start * flow.pseudo.control.cfl);
}

}  // namespace

void require_coarser_meshes(const Table& config, bool is_unsteady) {
  const Table pseudo_time = config.table("pseudo_time");
  if (is_unsteady) pseudo_time.fail("coarse_meshes", "'coarse_meshes' applies to steady flows only");
  const Table mesh = config.table("mesh");
  const std::string type = mesh.has("generator") ? mesh.table("generator").get("type", "") : "";
  if (type != "naca0012" && type != "naca" && type != "c_grid")
    pseudo_time.fail("coarse_meshes",
                     "'coarse_meshes' needs a [mesh] generator with 'refinement': naca0012, naca or c_grid");
}

std::vector<Table> coarser_cases(const Table& config, int meshes) {
  const Table generator = config.table("mesh").table("generator");
  const bool by_cells = generator.has("cells");
  const auto cells = by_cells ? generator.get<double>("cells", 0) : 0;
  const auto refinement = by_cells ? 1 : generator.get<double>("refinement", 1);
  std::vector<Table> cases;
  for (int level = 1; level <= meshes; ++level) {
    const double coarser = std::ldexp(refinement, -level), fewer = std::round(std::ldexp(cells, -2 * level));
    if (by_cells ? fewer < least_cells : coarser < least_refinement) break;
    const std::string change = by_cells ? fmt::format("mesh.generator.cells={:.0f}", fewer)
                                        : fmt::format("mesh.generator.refinement={:.17g}", coarser);
    cases.push_back(read_case_text(config.given(), "the case on a coarser mesh (coarse_meshes)", {change}));
  }
  return cases;
}

template <class Space>
std::vector<CoarseMesh> start_on_coarser_meshes(const Table& config, const Communicator& ranks, const CoarseStop& stop,
                                                CompressibleFlow<Space>& flow) {
  std::vector<CoarseMesh> meshes;
  const std::vector<Table> cases = coarser_cases(config, flow.c.pseudo_time.coarse_meshes);
  begin<Space>(cases, ranks, stop, meshes, flow);
  return_freed_memory();
  return meshes;
}

template std::vector<CoarseMesh> start_on_coarser_meshes(const Table&, const Communicator&, const CoarseStop&,
                                                         CompressibleFlow<Host>&);
template std::vector<CoarseMesh> start_on_coarser_meshes(const Table&, const Communicator&, const CoarseStop&,
                                                         CompressibleFlow<Device>&);

}  // namespace weir
