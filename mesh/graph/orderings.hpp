// Orderings of a plain graph. Each gives a permutation of the vertices; graphs may be disconnected or empty. The same
// input gives the same order everywhere.
#pragma once
#include <cstdint>

#include "mesh/graph/graph.hpp"

namespace weir {

Order natural_order(int vertices);
Order random_order(int vertices, std::uint64_t seed);

// Reverse Cuthill-McKee (Cuthill & McKee 1969; reversed: George 1971), each component from a pseudo-peripheral vertex.
Order reverse_cuthill_mckee(const Graph& graph);

// One-way dissection (George 1980): each component is cut by parallel separators, levels of its level structure about
// sqrt((3 w + 13) / 2) apart where w is the mean width of a level. The pieces between them come first, then the
// separators.
Order one_way_dissection(const Graph& graph);

// Nested dissection by METIS, or by level structures where Weir was built without it: see nested_dissection_method().
Order nested_dissection(const Graph& graph);
const char* nested_dissection_method();  // "METIS" | "level structures"

// Automatic nested dissection by level structures (George & Liu 1978): the separator is the level with the component's
// median vertex; pieces first, separator last, recursively.
Order level_nested_dissection(const Graph& graph);

}  // namespace weir
