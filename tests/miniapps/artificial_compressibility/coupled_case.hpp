// Small coupled flows for tests: a case from a text, and the equations of one state, which a test can perturb.
#pragma once
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "miniapps/artificial_compressibility/diagnostics.hpp"
#include "miniapps/artificial_compressibility/scheme.hpp"
#include "tests/miniapps/incompressible/flow_case.hpp"

namespace weir::test {

inline const std::string tight_pseudo_time =
    "[pseudo_time]\ntolerance = 1e-12\nmax_steps = 60\n[linear.flow]\ntolerance = 1e-2\n";

inline std::string coupled_text(const std::string& grid, const std::string& flow, const std::string& boundary,
                                double dt, const std::string& rest = tight_pseudo_time) {
  return text_of(grid, "scheme = \"artificial_compressibility\"\n" + flow, boundary, dt, rest);
}

template <class Space>
struct TestCoupled {
  explicit TestCoupled(const std::string& text)
      : config(read_case_text(text, "test.toml")),
        c(read_incompressible_case(config)),
        scheme(c, config.table("linear")) {
    scheme.initialise();
  }
  void advance(int steps) { advance(steps, c.time.dt); }
  void advance(int steps, double dt) {
    for (int i = 0; i < steps; ++i) {
      const StepEnd end = scheme.advance(dt, timings, [&] { ++solves; });
      ASSERT_EQ(end, StepEnd::advanced) << to_string(scheme.result.reason) << ", residual " << scheme.largest_residual;
    }
  }
  // All unknowns of the cells, as the linear solver has them.
  std::vector<double> unknowns() {
    const CoupledCells& cells = scheme.cells();
    const std::vector<double> padded = scheme.field().values().to_vector();
    std::vector<double> x;
    for (int k = 0; k < cells.n[2]; ++k)
      for (int j = 0; j < cells.n[1]; ++j)
        for (int i = 0; i < cells.n[0]; ++i)
          for (int u = 0; u < cells.unknowns; ++u)
            x.push_back(padded[static_cast<std::size_t>((cells.origin() + cells.at(i, j, k)) * cells.unknowns + u)]);
    return x;
  }
  std::vector<double> velocities() {
    std::vector<double> v;
    const auto x = unknowns();
    const auto n = static_cast<std::size_t>(scheme.cells().unknowns);
    for (std::size_t q = 0; q < x.size(); ++q)
      if (q % n != 0) v.push_back(x[q]);
    return v;
  }
  std::map<std::string, double> errors() {
    CoupledCopy copy;
    return solution_errors(c,
                           copy.of(scheme.cells(), scheme.field().values().to_vector(), scheme.minus_residual_on_host(),
                                   c.grid, scheme.options().speed),
                           scheme.time, scheme.dt_before);
  }

  Table config;
  IncompressibleCase c;
  ArtificialCompressibility<Space> scheme;
  Timings timings;
  int solves = 0;
};

// A random state of n unknowns a cell with everything that its residual and Jacobian need. More than dim + 1 unknowns:
// the others are carried as a turbulence model's are, with an eddy viscosity.
template <class Space>
struct TestEquations {
  TestEquations(const std::string& text, int n)
      : c(read_incompressible_case(read_case_text(text, "test.toml"))),
        cells(coupled_cells(c, n)),
        lines(c.grid, cells),
        x(cells),
        x1(cells),
        x2(cells),
        eddy(cells.padded_count()),
        A(cells.extents(), n, cells.wraps_here()),
        b(A.size()),
        rules(side_rules(c, cells, 0.3)),
        time(time_derivative(0.1, 0.08)) {
    for (auto& rule : rules.side)
      for (int u = cells.dim + 1; u < n; ++u) {
        rule.own[u] = rule.periodic || u % 2 ? 1 : -1;
        rule.given[u] = rule.periodic ? 0 : 0.2;
      }
    lines.set_dissipation({0.7, time.s0, 1.3, c.viscosity, false});
    fill(x.values(), -1, 1);
    fill(x1.values(), -1, 1);
    fill(x2.values(), -1, 1);
    fill(eddy, 0.1, 0.5);
    time.x1 = x1.origin();
    time.x2 = x2.origin();
    view.cells = cells;
    for (int d = 0; d < 3; ++d) view.line[d] = lines[d];
    view.x = x.origin();
    view.viscosity = c.viscosity;
    view.speed = 1.3;
    view.eddy = eddy.data() + cells.origin();
    view.diffusion[0] = 0.6;
    view.diffusion[1] = 0.5;
  }
  void fill(Array<double, Space>& a, double low, double high) {
    std::uniform_real_distribution<double> value(low, high);
    std::vector<double> v(static_cast<std::size_t>(a.size()));
    for (double& one : v) one = value(random);
    a.upload(v);
  }
  // -R of the state with h added to one unknown.
  std::vector<double> minus_residual(int cell, int u, double h) {
    const Extents box = cells.extents();
    const int i = cell % box.nx, j = cell / box.nx % box.ny, k = cell / (box.nx * box.ny);
    auto values = x.values().to_vector();
    values[static_cast<std::size_t>((cells.origin() + cells.at(i, j, k)) * cells.unknowns + u)] += h;
    const auto before = x.values().to_vector();
    x.values().upload(values);
    fill_ghosts<Space>(rules, view);
    residual<Space>(view, time, {}, b);
    x.values().upload(before);
    return b.to_vector();
  }
  void assemble(double inverse_cfl) {
    fill_ghosts<Space>(rules, view);
    assemble_jacobian<Space>(view, time, rules, inverse_cfl, A.stencil());
  }
  std::vector<double> column(int q) {
    std::vector<double> e(static_cast<std::size_t>(A.size()), 0.0);
    e[static_cast<std::size_t>(q)] = 1;
    const Array<double, Space> in(e);
    Array<double, Space> out(A.size());
    A.apply(in, out);
    return out.to_vector();
  }

  std::mt19937 random{7};
  IncompressibleCase c;
  CoupledCells cells;
  CoupledLines<Space> lines;
  CoupledField<Space> x, x1, x2;
  Array<double, Space> eddy;
  BlockStencil<Space> A;
  Array<double, Space> b;
  SideRules rules;
  TimeDerivative time;
  CoupledView view;
};

}  // namespace weir::test
