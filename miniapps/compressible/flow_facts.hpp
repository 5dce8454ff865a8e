// Information on a compressible flow for observers of its systems: states, positions, names of cells and rows.
#pragma once
#include <string>

#include "miniapps/compressible/flow.hpp"
#include "miniapps/driver/lab.hpp"

namespace weir {

// " in the cell at (0.1, 0.2)"; "" if there is no such cell.
std::string place_of_cell(const UnstructuredMesh& mesh, int cell);

// flow must outlive the result.
template <class Space>
FlowFacts<Space> facts_of(CompressibleFlow<Space>& flow, const std::string& ordering);

}  // namespace weir
