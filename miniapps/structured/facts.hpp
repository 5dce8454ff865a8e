// What the structured flow codes tell the lab of themselves (miniapps/study/facility.hpp).
#pragma once
#include <array>
#include <string>
#include <vector>

#include "mesh/structured/grid.hpp"
#include "miniapps/structured/diagnostics.hpp"
#include "miniapps/structured/layout.hpp"
#include "miniapps/structured/whole_fields.hpp"
#include "miniapps/study/facility.hpp"
#include "postproc/fields/vtk.hpp"

namespace weir {

// x, y, z of each unknown of a velocity component (3: of each cell), in the order of the solver's vectors.
std::vector<double> places_of_unknowns(const Grid& grid, const Layout& layout, int component);

std::string name_of_cell(const std::array<int, 3>& at);  // "cell (3, 4, 0)"

// "u of cell (3, 4, 0)": the same numbers. A velocity is named after the cell whose low face it sits on.
std::string name_of_unknown(const Layout& layout, int component, int row);

// What the failure diagnostics follow of it: the velocities and the pressure.
template <class Space>
std::vector<WatchedVariable> watched_of(Flow<Space>& flow);

// Fields of the lab for a picture of that many cells; those of a system that lives elsewhere are left out.
std::vector<CellField> pictures_of(std::vector<RowField> fields, const Extents& cells);

// Of the fractional step and its descendants: momentum part c is component c, any other system lives in the cells.
template <class Space, class Scheme>
FlowFacts<Space> facts_of_staggered(Scheme& flow, const Grid& grid, const std::string& momentum) {
  FlowFacts<Space> facts;
  facts.time = [&flow] { return flow.time; };
  facts.dt = [&flow] { return flow.dt_before; };
  facts.state = [&flow] { return WholeFields<Space>(flow.ranks()).arrays(flow.state()); };
  facts.places = [&flow, &grid, momentum](const std::string& system, int part) {
    return places_of_unknowns(grid, flow.ranks().whole(), system == momentum ? part : 3);
  };
  if (!flow.ranks().alone()) {
    facts.numbers = [&flow, momentum](const std::string& system, int part) {
      return flow.ranks().unknown_places(system == momentum ? part : 3);
    };
    facts.partition = flow.ranks().partition().describe();
  }
  facts.variables = [momentum](const std::string& system, int part) {
    return std::vector<std::string>{system != momentum ? "p" : part == 0 ? "u" : part == 1 ? "v" : "w"};
  };
  facts.ordering = "natural";
  facts.cfl = [&flow] { return flow.dt_before * courant_rate(flow.flow(), flow.metrics()); };
  facts.courant_limit = 1;  // advection by Adams-Bashforth, somewhat below
  facts.step_key = flow.flow_case().time.dt > 0 ? "time.dt" : "time.cfl";
  facts.watched = watched_of(flow.flow());
  facts.row_name = [&flow, momentum](const std::string& system, int part, int row) {
    return name_of_unknown(flow.ranks().whole(), system == momentum ? part : 3, row);
  };
  return facts;
}

}  // namespace weir
