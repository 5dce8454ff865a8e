// What a compressible flow tells those that watch its systems: states, places, names of cells and rows.
#pragma once
#include <string>

#include "miniapps/compressible/flow.hpp"
#include "miniapps/study/facility.hpp"

namespace weir {

// " in the cell at (0.1, 0.2)"; "" of a cell that is none.
std::string place_of_cell(const UnstructuredMesh& mesh, int cell);

// flow must outlive them.
template <class Space>
FlowFacts<Space> facts_of(CompressibleFlow<Space>& flow, const std::string& ordering);

}  // namespace weir
