// What works on one rank, over ranks.
//
// additive_schwarz: every rank applies a preconditioner of its own to its part of the matrix (Dryja & Widlund 1987),
//   z = sum over ranks of R0^T M^-1 R r
// R takes the rank's unknowns and `overlap` layers around them, R0 its own alone (Cai & Sarkis 1999, restricted: needs
// no second exchange, and is not symmetric where overlap > 0). What couples to unknowns outside stays in the diagonal.
// On one rank it is the inner preconditioner itself. More ranks need more iterations: no coarse level joins them.
//
// gathered: the whole residual comes to rank 0, which applies the preconditioner to the whole matrix. Exact as on one
// rank, and as slow: rank 0 does the work of all, the others wait, and 16 bytes an unknown pass through it each time.
#pragma once
#include <memory>
#include <string>

#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_additive_schwarz(int overlap, std::unique_ptr<Preconditioner<Space>> inner);

// `name`: of the solver, for errors.
template <class Space>
std::unique_ptr<Preconditioner<Space>> make_gathered(const std::string& name,
                                                     std::unique_ptr<Preconditioner<Space>> inner);

}  // namespace weir
