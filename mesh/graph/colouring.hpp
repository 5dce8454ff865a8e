// Graph colourings: neighbours have different colours, so vertices of one colour are independent.
#pragma once
#include <cstdint>
#include <vector>

#include "mesh/graph/graph.hpp"

namespace weir {

struct Colouring {
  int colours = 0;
  std::vector<int> colour;  // per vertex, 0 .. colours - 1
};

// Greedy, largest degree first (Welsh & Powell 1967): few colours of very different sizes.
Colouring colour_largest_first(const Graph& graph);
// The same number of colours; then vertices move from large colours to smaller ones (Lu et al. 2015).
Colouring colour_balanced(const Graph& graph);
// Jones & Plassmann 1993 with random weights: the result of a parallel computation, independent of the schedule.
Colouring colour_jones_plassmann(const Graph& graph, std::uint64_t seed);

// An order for sweeps over the colours of a graph that keeps the neighbours of a vertex in cache: a wavefront. A
// sweep gives the same bits in every order in which each vertex comes after its neighbours of earlier colours and
// before those of later ones. Colour after colour is one such order, but passes through all vertices once per colour.
// Let a vertex of colour k be in level a of one breadth-first search and in level c of another from the side; levels
// of neighbours differ by at most one. Then
//   strip = (c + k) / width,   step = a / thickness + k,   sorted by (strip, step, k)
// is another such order, because none of the three decreases from a vertex to a neighbour of a later colour, and k
// increases. A step of a strip has vertices of all colours within a few levels of each other.
//
// Pieces are ranges of positions of one colour in sweep order; piece q: start[q] .. start[q + 1] - 1.

struct ColourWavefront {
  Order order;
  std::vector<int> start{0};
  std::vector<int> colour;  // per piece
  int pieces() const { return static_cast<int>(colour.size()); }
};

// tile: approximate number of vertices in a step of a strip; 0: colour after colour, one piece each.
ColourWavefront colour_wavefront(const Graph& graph, const Colouring& colouring, int tile);

}  // namespace weir
