// aggregation: algebraic multigrid by aggregates for block CSR matrices of any block size (Vanek, Mandel & Brezina 1996 without
// smoothing; Notay, Electron. Trans. Numer. Anal. 37 (2010) 123). For finite volumes of first order it is the agglomeration
// multigrid of Lallemand, Steve & Dervieux, Comput. Fluids 21 (1992) 397: the sum of the rows of an aggregate is the balance
// of the joined cell, and an upwind flux between cells stays one between aggregates.
//   A_{l+1} = P^T A_l P,   P: 1 from an aggregate to each of its rows (aggregates.hpp)
//   cycle:  [z = S r]_pre,   d = r - A z,   c = scaling C P^T d,   z += P c + S (d - A P c),   [z += S (r - A z)]_(post - 1)
// C: what the next level makes of it.
// The coarsest level has a full pattern, so that its block ILU(0) solves it exactly.
//
// Options ([linear.SYSTEM.preconditioner], type = "aggregation"):
//   smoother = { type = "block_ilu0" }  S, any preconditioner for block CSR, with its options; of every level but the coarsest
//   pre = 0, post = 1                   sweeps before and after the correction
//   cycle = "V" | "W" | "K"             the next level: one cycle, two, or up to two steps of GCR preconditioned by the cycle
//                                       (Notay & Vassilevski 2008; changes with r, so that it needs fgmres)
//   passes = 2                          2^passes rows join at most
//   strength = 0.25                     of a row's strongest coupling: weaker ones join nothing
//   scaling = 1.0                       over-correction: constants make second derivatives on coarse levels too stiff
//   diffusion = 1.0                     what each coarse level keeps of the diffusion across its rows' borders, which constants make
//                                       too stiff (aggregation_diffusion.hpp). For upwind schemes 0.8 pays, below 0.7 cycles diverge
//   coarse_matrices = "double"          or "float": the precision they are stored in
//   levels = 20                         at most
//   coarse_rows = 32                    a level of at most so many block rows is the coarsest
// Aggregates are those of the values at setup; update computes numbers alone and allocates nothing of its own. The matrix is
// read at every application, and must outlive this. Error(usage): A is no block CSR
// matrix, or has the constants as its null space.
#pragma once
#include <memory>

#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_aggregation(const Table& options);

}  // namespace weir
