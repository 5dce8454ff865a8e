// What the structured flow codes tell the lab of themselves (miniapps/study/facility.hpp).
#pragma once
#include <string>
#include <vector>

#include "mesh/grid.hpp"
#include "miniapps/incompressible/layout.hpp"
#include "miniapps/study/facility.hpp"

namespace weir {

// x, y, z of each unknown of a velocity component (3: of each cell), in the order of the solver's vectors.
std::vector<double> places_of_unknowns(const Grid& grid, const Layout& layout, int component);

// Of the fractional step and its descendants: momentum part c is component c, any other system lives in the cells.
template <class Space, class Scheme>
FlowFacts<Space> facts_of_staggered(Scheme& flow, const Grid& grid, const std::string& momentum) {
  FlowFacts<Space> facts;
  facts.time = [&flow] { return flow.time; };
  facts.dt = [&flow] { return flow.dt_before; };
  facts.state = [&flow] { return flow.state(); };
  facts.places = [&flow, &grid, momentum](const std::string& system, int part) {
    return places_of_unknowns(grid, flow.layout(), system == momentum ? part : 3);
  };
  facts.variables = [momentum](const std::string& system, int part) {
    return std::vector<std::string>{system != momentum ? "p" : part == 0 ? "u" : part == 1 ? "v" : "w"};
  };
  facts.ordering = "natural";
  return facts;
}

}  // namespace weir
