// The fractional steps as Scheme of run_structured.hpp, with a body in the flow and without.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "miniapps/incompressible/staggered_flow.hpp"
#include "miniapps/structured/run_structured.hpp"

namespace weir {

// Part c of the momentum system is velocity component c; the pressure is at cell centres.
template <class SchemeSpace, class FlowCode>
struct StaggeredScheme : StructuredScheme<SchemeSpace, FlowCode, WholeFields<SchemeSpace>> {
  using Base = StructuredScheme<SchemeSpace, FlowCode, WholeFields<SchemeSpace>>;
  using Base::flow;
  template <class... Arguments>
  StaggeredScheme(const SystemDefaults& velocity_is, SystemDefaults (*scalar)(const ScalarCase&),
                  const SystemDefaults& pressure_is, Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...), velocity(velocity_is), pressure(pressure_is), scalar_is(scalar) {}

  std::vector<std::string> systems() const {
    std::vector<std::string> names{velocity.name};
    for (const ScalarCase& s : scalars()) names.push_back(s.name);
    names.emplace_back(pressure.name);
    return names;
  }
  void attach(Lab<SchemeSpace>& lab, const Table& linear) {
    FlowFacts<SchemeSpace> facts = common_facts(*this);
    const auto component = [name = std::string(velocity.name)](const std::string& system, int part) {
      return system == name ? part : 3;
    };
    auto& f = flow;
    facts.places = [&f, component](const std::string& system, int part) {
      return places_of_unknowns(f.flow_case().grid, f.ranks().whole(), component(system, part));
    };
    if (!f.ranks().alone())
      facts.numbers = [&f, component](const std::string& system, int part) {
        return f.ranks().unknown_places(component(system, part));
      };
    const auto scalar = [&f](const std::string& system) -> const ScalarCase* {
      for (const ScalarCase& s : f.flow_case().scalars)
        if (s.name == system) return &s;
      return nullptr;
    };
    facts.variables = [component, scalar](const std::string& system, int part) {
      if (const ScalarCase* s = scalar(system)) return std::vector<std::string>{s->symbol()};
      return std::vector<std::string>{std::string(1, "uvwp"[component(system, part)])};
    };
    facts.cfl = [this] { return flow.dt_before * courant_rate(); };
    facts.courant_limit = 1;  // advection by Adams-Bashforth, somewhat below
    facts.step_key = f.flow_case().time.dt > 0 ? "time.dt" : "time.cfl";
    for (int c = 0; c < f.layout().dim; ++c)
      facts.watched.push_back(
          watched_variable<SchemeSpace>(std::string(1, "uvw"[c]), f.layout(), f.flow().velocity[c]));
    facts.watched.push_back(watched_variable<SchemeSpace>("p", f.layout(), f.flow().p));
    for (std::size_t s = 0; s < scalars().size(); ++s)
      facts.watched.push_back(watched_variable<SchemeSpace>(scalars()[s].symbol(), f.layout(), f.flow().scalars[s]));
    facts.row_name = [&f, component, scalar](const std::string& system, int part, int row) {
      std::string name = name_of_unknown(f.ranks().whole(), component(system, part), row);
      if (const ScalarCase* s = scalar(system)) name.replace(0, 1, s->symbol());
      return name;
    };
    lab.describe(facts);
    for (auto& system : f.systems()) {
      const ScalarCase* s = scalar(system->name);
      lab.attach(system.get() == &f.pressure() ? pressure : s ? scalar_is(*s) : velocity, system->solver, linear);
    }
  }
  void describe(RunHeader& h) {
    h.systems.emplace_back(velocity.name, flow.systems().front()->solver.describe());
    for (std::size_t s = 0; s < scalars().size(); ++s)
      h.systems.emplace_back(scalars()[s].name, flow.scalar_equation(s).solver.describe());
    h.systems.emplace_back(pressure.name, flow.pressure().solver.describe());
  }
  bool initialise(Run& run) {
    courant_rate_.reset();
    if (flow.initialise(run.timings())) return true;
    failed = &flow.pressure();
    return false;
  }
  Progress advance(Run& run, double dt) {
    courant_rate_.reset();
    failed = flow.advance(dt, run.timings());  // (2) to (5)
    if (was_interrupted()) return Progress::failed;
    for (const auto& s : flow.systems()) {
      SolveRecord r;
      r.step = flow.step;
      r.system = s->name;
      r.solver = s->solver.name();
      r.unknowns = s->A.unknowns();
      record_solve(run, r, s->result, s->setup_seconds);
    }
    return failed ? Progress::failed : Progress::advanced;
  }
  bool was_interrupted() const { return failed && failed->result.reason == Reason::interrupted; }
  Outcome failure() const {
    Outcome o;
    o.exit = failed->result.reason == Reason::not_finite ? Exit::not_finite : Exit::solver_failed;
    o.reason = failed_solve_text(failed->name, failed->result.reason, flow.step + 1);
    return o;
  }
  // Used by the record of a step and by the choice of the next one.
  double courant_rate() const {
    if (!courant_rate_) courant_rate_ = flow.courant_rate();
    return *courant_rate_;
  }
  template <class F>
  void with_fields(const F& f) {
    this->whole.with(flow.flow(), {}, f);
  }
  void load(const Checkpoint&) {
    failed = nullptr;
    courant_rate_.reset();
    flow.after_loading();
  }
  std::vector<std::pair<std::string, LinearSolver<SchemeSpace>*>> solvers() {
    std::vector<std::pair<std::string, LinearSolver<SchemeSpace>*>> all;
    for (auto& s : flow.systems()) all.emplace_back(s->name + "_" + std::to_string(all.size()), &s->solver);
    return all;
  }

  const std::vector<ScalarCase>& scalars() const { return flow.flow_case().scalars; }

  SystemDefaults velocity, pressure;
  SystemDefaults (*scalar_is)(const ScalarCase&);
  const FlowSystem<SchemeSpace>* failed = nullptr;

 private:
  mutable std::optional<double> courant_rate_;  // of the present flow
};

}  // namespace weir
