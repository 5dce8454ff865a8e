// The same matrix in PETSc's block format, where PETSc is installed (block_ilu_petsc.cpp), else nothing
// (block_ilu_none.cpp).
#pragma once
#include "tests/support/systems/block_systems.hpp"

namespace weir::bench {

struct PeerSeconds {
  bool found = false;
  double factor = 0, solve = 0,
         product = 0;     // MatILUFactor (numeric, of a matrix with its symbolic part), MatSolve, MatMult
  double difference = 0;  // of its solve from the given solution, relative, max norm
};
PeerSeconds peer_block_ilu(const test::BlockSystem& system, const std::vector<double>& solution);

}  // namespace weir::bench
