// An order of a coloured graph for sweeps over its colours, in which what a vertex needs is still in cache: a wavefront
// through the graph. A sweep that updates vertex after vertex gives the same bits in every order in which each vertex comes
// after its neighbours of earlier colours and before those of later ones; colour after colour is one such order, and the
// only one that goes through all vertices once for each colour. Let a vertex of colour k lie in level a of one breadth-first
// search and in level c of another, from a side: levels of neighbours differ by one at most. Then
//   strip = (c + k) / width,   step = a / thickness + k,   sorted by (strip, step, k)
// is another, as none of the three can fall from a vertex to a neighbour of a later colour, and k rises. A step of a strip
// holds vertices of all colours that lie within a few levels of each other.
#pragma once
#include <vector>

#include "mesh/graph/colouring.hpp"
#include "mesh/graph/graph.hpp"

namespace weir {

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
