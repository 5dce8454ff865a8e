// Preconditioners of one rank applied over ranks.
//
// additive_schwarz: every rank applies its own preconditioner to its part of the matrix (Dryja & Widlund 1987),
//  z = sum over ranks of R0^T M^-1 R r
// R selects the rank's unknowns and `overlap` layers around them, R0 its own unknowns (Cai & Sarkis 1999, restricted:
// no second exchange, not symmetric for overlap > 0). Couplings to unknowns outside stay in the diagonal. On one rank
// it is the inner preconditioner. Without a coarse level the iterations grow with the number of ranks.
//
// gathered: the residual is gathered on rank 0, which applies the preconditioner to the whole matrix. Exact as on one
// rank, and as slow: the other ranks wait, and 16 bytes per unknown pass through rank 0 each time.
#pragma once
#include <memory>
#include <string>

#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_additive_schwarz(int overlap, std::unique_ptr<Preconditioner<Space>> inner);

// `name`: solver name for errors.
template <class Space>
std::unique_ptr<Preconditioner<Space>> make_gathered(const std::string& name,
                                                     std::unique_ptr<Preconditioner<Space>> inner);

}  // namespace weir
