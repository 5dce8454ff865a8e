// Colourings of a plain graph: neighbours never share a colour, so that the vertices of one colour are independent.
#pragma once
#include <cstdint>
#include <vector>

#include "mesh/graph/graph.hpp"

namespace weir {

struct Colouring {
  int colours = 0;
  std::vector<int> colour;  // of each vertex, 0 .. colours - 1
};

// Greedy, vertices of largest degree first (Welsh & Powell 1967): few colours, of very unequal sizes.
Colouring colour_largest_first(const Graph& graph);
// The same number of colours, then vertices move from full colours to emptier ones that they may take (Lu et al. 2015).
Colouring colour_balanced(const Graph& graph);
// Jones & Plassmann 1993 with random weights: what a parallel machine computes, whatever its schedule.
Colouring colour_jones_plassmann(const Graph& graph, std::uint64_t seed);

}  // namespace weir
