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

// An order of a coloured graph for sweeps over its colours, in which what a vertex needs is still in cache: a wavefront
// through the graph. A sweep that updates vertex after vertex gives the same bits in every order in which each vertex comes
// after its neighbours of earlier colours and before those of later ones; colour after colour is one such order, and the
// only one that goes through all vertices once for each colour. Let a vertex of colour k lie in level a of one breadth-first
// search and in level c of another, from a side: levels of neighbours differ by one at most. Then
//   strip = (c + k) / width,   step = a / thickness + k,   sorted by (strip, step, k)
// is another, as none of the three can fall from a vertex to a neighbour of a later colour, and k rises. A step of a strip
// holds vertices of all colours that lie within a few levels of each other.

// Pieces are ranges of positions of one colour, in the order of a sweep; piece q: start[q] .. start[q + 1] - 1.
struct ColourWavefront {
  Order order;
  std::vector<int> start{0};
  std::vector<int> colour;  // of each piece
  int pieces() const { return static_cast<int>(colour.size()); }
};

// tile: about how many vertices a step of a strip holds, all colours together; 0: colour after colour, a piece each.
ColourWavefront colour_wavefront(const Graph& graph, const Colouring& colouring, int tile);

}  // namespace weir
