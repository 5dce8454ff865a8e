// Records of a compressible run: solves, steps, checkpoints. Collective.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/timer.hpp"
#include "mesh/place_sum.hpp"
#include "miniapps/compressible/compressible.hpp"
#include "miniapps/compressible/flow.hpp"
#include "miniapps/driver/history_row.hpp"
#include "miniapps/driver/record_solve.hpp"
#include "miniapps/driver/solver_state.hpp"

namespace weir {

// The time of a steady run is its step number.
template <class Space>
double output_time(const CompressibleFlow<Space>& flow) {
  return flow.c.is_unsteady() ? flow.time : static_cast<double>(flow.step);
}

template <class Space>
void record_attempt(Run& run, CompressibleFlow<Space>& flow, const Attempt& a) {
  const LinearSolver<Space>& solver = flow.pseudo.solver();
  const SetupInfo& info = solver.setup_info();
  SolveRecord r;
  r.step = flow.step + 1;
  r.system = "flow";
  r.solver = solver.name();
  r.unknowns = flow.values * flow.cells;
  r.preconditioner_age = solver.refresh_policy().age();
  const auto if_known = [](double value) { return value >= 0 ? Measure(value) : Measure(); };
  r.ilu_residual = if_known(info.ilu_residual >= 0 ? info.ilu_residual : info.fixed_point_residual);
  r.dominance_L = if_known(info.dominance_L);
  r.dominance_U = if_known(info.dominance_U);
  record_solve(run, r, a.solve, flow.pseudo.setup_seconds());
}

template <class Space>
void add_wall_forces(const CompressibleFlow<Space>& flow, HistoryRow& row) {
  std::size_t k = 0;
  for (const FlowBoundary& b : flow.boundary) {
    if (!b.is_wall) continue;
    const Forces& f = flow.walls.of_walls()[k++];
    row["lift_" + b.result_name] = f.lift();
    row["drag_" + b.result_name] = f.drag();
    row["moment_" + b.result_name] = f.moment;
    if (b.is_viscous) row["heat_" + b.result_name] = f.heat;
  }
}

template <class Space>
void record_step(Run& run, CompressibleFlow<Space>& flow, const Attempt& a) {
  const std::vector<std::string> columns = compressible_columns(flow.c, flow.boundary);
  HistoryRow row(columns);
  row.record.step = flow.step;
  row.record.time = output_time(flow);
  row.record.dt = flow.time_steps.dt;
  row.record.cfl = a.cfl;
  const PseudoTimeControl& control = flow.pseudo.control;
  row["residual_density"] = control.norm[0];
  row["residual_momentum_x"] = control.norm[1];
  row["residual_momentum_y"] = control.norm[2];
  row["residual_energy"] = control.norm[3];
  if (flow.c.turbulence.is_on) row["residual_turbulence"] = control.norm[4];
  if (flow.walls.has_walls()) {
    ScopedTimer timer(run.timings().at("flow equations", "forces"));
    const Forces f = flow.walls.measure(flow.space, flow.pseudo.state());
    row["lift"] = f.lift();
    row["drag"] = f.drag();
    row["moment"] = f.moment;
    add_wall_forces(flow, row);
    if (control.order == flow.c.scheme.order) flow.force_window.add(f.lift(), f.drag());
    if (flow.c.is_unsteady() && flow.time >= flow.c.average_from)
      flow.statistics.add(flow.time, flow.time_steps.dt, f.drag(), f.lift(), f.drag());
  }
  const std::vector<double>& points = flow.points.measure(flow.pseudo.state());
  for (std::size_t k = 0; k < points.size(); ++k) row["point_" + flow.c.points[k].name] = points[k];
  row["linear_iterations"] = static_cast<double>(control.linear_iterations);
  row["order"] = control.order;
  run.step(row.record);
}

// The state in a checkpoint is in cell order. Collective; rank 0 has the whole mesh.
template <class Space>
void require_same_cells(const Communicator& ranks, const Checkpoint& from, const CompressibleFlow<Space>& flow) {
  bool differs = false;
  for (std::size_t d = 0; ranks.is_root() && d < 2; ++d) {
    const auto* kept = from.find(d == 0 ? "places_x" : "places_y");  // missing in older checkpoints
    double size = 0;
    for (const auto& x : flow.whole.centre) size = std::max(size, std::abs(x[d]));
    const auto is_here = [&](double places) {
      return is_same_place_sum(places, flow.places[d], flow.whole.centre.size(), size);
    };
    differs = differs || (kept && (kept->size() != 1 || !is_here(kept->front())));
  }
  if (ranks.any(differs))
    throw Error(Exit::usage,
                "the checkpoint belongs to another mesh or another cell order: restart with its [mesh] and [ordering], "
                "or start a new run with [flow] start_from");
}

// Checkpoints are independent of the number of ranks.
template <class Space>
CheckpointState state_of(const Run& run, CompressibleFlow<Space>& flow) {
  const PseudoTimeControl& p = flow.pseudo.control;
  CheckpointState state;
  state.step = flow.step;
  state.time = output_time(flow);
  state.add("places_x", flow.places[0]);
  state.add("places_y", flow.places[1]);
  state.add("order", p.order);
  state.add("cfl", p.cfl);
  state.add("reference", p.reference);
  state.add("steps_in_phase", p.steps_in_phase);
  const auto norms = static_cast<std::size_t>(std::min(flow.values, 5));
  state.add("norm", std::span<const double>(p.norm).first(norms));
  state.add("rounding", std::span<const double>(p.rounding).first(norms));
  if (flow.c.turbulence.is_on) state.add("turbulence_reference", p.turbulence_reference);
  state.add("linear_iterations", static_cast<double>(p.linear_iterations));
  state.add("first_step_second_order", static_cast<double>(flow.first_step_second_order));
  flow.save(state, "U", flow.pseudo.state());
  if (flow.c.is_unsteady())
    flow.save(state, "older", flow.older);
  else
    state.keep("older", {});
  const TimeSteps& t = flow.time_steps;
  if (flow.c.is_unsteady()) state.keep("time_steps", {t.time, t.dt, static_cast<double>(t.step)});
  if (flow.force_window.is_on()) state.keep("force_window", flow.force_window.values());
  if (std::vector<double> forces = flow.statistics.state(); !forces.empty()) state.keep("forces", std::move(forces));
  save_solver(run.ranks(), "flow", flow.pseudo.solver(), state);
  if (const auto& origin = flow.pseudo.origin(); origin.U.size() > 0) {
    flow.save(state, "refresh_U", origin.U);
    state.add("refresh_cfl", origin.cfl);
    state.add("refresh_time_factor", origin.time_factor);
    state.add("refresh_outside_at", origin.far_field_time);
  }
  return state;
}

// The reason for a change of solver state, or empty.
template <class Space>
std::string load_flow(const Communicator& ranks, const Checkpoint& from, CompressibleFlow<Space>& flow) {
  PseudoTimeControl& p = flow.pseudo.control;
  require_same_cells(ranks, from, flow);
  flow.step = from.header.step;
  if (flow.c.is_unsteady()) flow.time = from.header.time;
  p.order = static_cast<int>(from.scalar("order"));
  p.cfl = from.scalar("cfl");
  p.reference = from.scalar("reference");
  p.steps_in_phase = static_cast<int>(from.scalar("steps_in_phase"));
  if (flow.c.turbulence.is_on) p.turbulence_reference = from.scalar("turbulence_reference");
  const int norms = std::min(flow.values, 5);
  const std::vector<double>& norm = from.doubles("norm", norms);
  std::copy(norm.begin(), norm.end(), p.norm.begin());
  if (from.find("rounding")) std::ranges::copy(from.doubles("rounding", norms), p.rounding.begin());
  p.linear_iterations = static_cast<std::int64_t>(from.scalar("linear_iterations"));
  flow.first_step_second_order = static_cast<std::int64_t>(from.scalar("first_step_second_order"));
  flow.load(from, "U", flow.pseudo.state());
  if (flow.c.is_unsteady()) flow.load(from, "older", flow.older);
  if (const auto* t = from.find("time_steps"); t && t->size() == 3)
    flow.time_steps = {(*t)[0], (*t)[1], static_cast<std::int64_t>((*t)[2])};
  if (const auto* window = from.find("force_window")) flow.force_window.resume(*window);
  if (const auto* forces = from.find("forces")) flow.statistics.restore(*forces);
  const std::string note = load_solver(ranks, "flow", flow.pseudo.solver(), from);
  if (flow.pseudo.solver().refresh_policy().is_always() || !note.empty() || !from.has("refresh_U")) return note;
  Array<double, Space> U(flow.pseudo.state().size());
  flow.load(from, "refresh_U", U);
  flow.set_outside(from.scalar("refresh_outside_at"));
  flow.pseudo.resume_preconditioner({std::move(U), from.scalar("refresh_cfl"), from.scalar("refresh_time_factor"),
                                     from.scalar("refresh_outside_at")});
  return note;
}

}  // namespace weir
