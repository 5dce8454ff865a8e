#include "miniapps/compressible/flow_facts.hpp"

#include <array>
#include <cmath>

#include "miniapps/compressible/convergence/limiter_cycle.hpp"

namespace weir {

std::string place_of_cell(const UnstructuredMesh& mesh, int cell) {
  if (cell < 0 || cell >= mesh.cells()) return "";
  const auto& x = mesh.centre[cell];
  return " in the cell at (" + std::to_string(x[0]) + ", " + std::to_string(x[1]) + ")";
}

namespace {

// mesh: the whole or a rank's part; cell: index there; number: index in the whole.
std::string name_of_cell(const UnstructuredMesh& mesh, std::int64_t cell, std::int64_t number) {
  return "cell " + std::to_string(number) +
         place_of_cell(mesh, static_cast<int>(cell)).substr(std::string(" in the cell").size());
}

std::array<const char*, 6> names_of_variables(int count) {
  return {"rho", "rho_u", "rho_v", "rho_E", count == 6 ? "rho_k" : "rho_nu", "rho_omega"};
}

// Density, momentum and pressure: k = 0, 1, 2 of the conserved variables, 3: the pressure.
template <class Space>
WatchedVariable watched(CompressibleFlow<Space>& flow, const char* name, int k) {
  WatchedVariable v;
  v.name = name;
  v.positive = k == 0 || k == 3;
  const double gamma = flow.c.gas.gamma;
  v.range = [&flow, k, gamma] {
    const View<const double> U = flow.pseudo.state().view();
    return k < 3 ? range_of<Space>(U, k, flow.values) : range_of_pressure<Space>(U, gamma, flow.values);
  };
  v.values = [&flow, k, gamma] {
    const std::vector<double> U = flow.pseudo.state().to_vector();
    std::vector<double> values;
    for (std::size_t i = 0; i < U.size(); i += static_cast<std::size_t>(flow.values))
      values.push_back(k < 3 ? U[i + static_cast<std::size_t>(k)]
                             : (gamma - 1) * (U[i + 3] - 0.5 * (U[i + 1] * U[i + 1] + U[i + 2] * U[i + 2]) / U[i]));
    return values;
  };
  v.place = [&flow](std::int64_t cell) {
    const std::int64_t number = flow.ranks ? flow.ranks->part.cell[cell] : cell;
    return name_of_cell(flow.mesh, cell, number);
  };
  return v;
}

}  // namespace

template <class Space>
FlowFacts<Space> facts_of(CompressibleFlow<Space>& flow, const std::string& ordering) {
  FlowFacts<Space> facts;
  facts.time = [&flow] { return flow.time; };
  facts.dt = [&flow] { return flow.time_steps.dt; };
  facts.cfl = [&flow] { return flow.pseudo.control.cfl; };
  facts.nonlinear_residual = [&flow] {
    double sum = 0;
    for (const double norm : flow.pseudo.control.norm) sum += norm * norm;
    return std::sqrt(sum);
  };
  facts.is_cfl_stored = true;
  facts.state = [&flow] {
    std::vector<std::pair<std::string, std::vector<double>>> arrays{{"U", flow.on_host()}};
    if (flow.c.is_unsteady()) arrays.emplace_back("older", flow.on_host(flow.older));
    return arrays;
  };
  facts.places = [&flow](const std::string&, int) {
    std::vector<double> places;
    for (const auto& [x, y] : flow.whole.centre) places.insert(places.end(), {x, y, 0.0});
    return places;
  };
  if (flow.ranks) {
    facts.numbers = [&flow](const std::string&, int) {
      const MeshPart& part = flow.ranks->part;
      return std::vector<int>(part.cell.begin(), part.cell.begin() + part.own);
    };
    facts.partition = "METIS, implicit lines kept whole";
  }
  facts.variables = [&flow](const std::string&, int) {
    const auto names = names_of_variables(flow.values);
    return std::vector<std::string>(names.begin(), names.begin() + flow.values);
  };
  facts.ordering = ordering;
  facts.stalled = [&flow] { return limiter_cycle(flow); };
  facts.step_key = "pseudo_time.cfl_max";
  facts.watched = {watched(flow, "rho", 0), watched(flow, "rho_u", 1), watched(flow, "rho_v", 2),
                   watched(flow, "p", 3)};
  facts.row_name = [&flow](const std::string&, int, int row) {
    const int cell = row / flow.values;
    return std::string(names_of_variables(flow.values)[static_cast<std::size_t>(row % flow.values)]) + " of " +
           name_of_cell(flow.whole, cell, cell);
  };
  return facts;
}

template FlowFacts<Host> facts_of(CompressibleFlow<Host>& flow, const std::string& ordering);
template FlowFacts<Device> facts_of(CompressibleFlow<Device>& flow, const std::string& ordering);

}  // namespace weir
