// aggregation: algebraic multigrid by aggregates for block CSR matrices of any block size (Vanek, Mandel & Brezina 1996
// without smoothing; Notay, Electron. Trans. Numer. Anal. 37 (2010) 123). For first-order finite volumes it is the
// agglomeration multigrid of Lallemand, Steve & Dervieux, Comput. Fluids 21 (1992) 397: the sum of the rows of an
// aggregate is the balance of the joined cell, and an upwind flux between cells stays one between aggregates.
//  A_{l+1} = P^T A_l P,   P: 1 from an aggregate to each of its rows (aggregates.hpp)
//  cycle:  [z = S r]_pre,   d = r - A z,   c = scaling C P^T d,   z += P c + S (d - A P c),   [z += S (r - A z)]
// The bracketed steps are repeated pre and post - 1 times. C: the cycle on the next level. The coarsest level has a
// full pattern, so that its block ILU(0) is exact; if constants are the null space of A they are shifted to the mean
// eigenvalue there. A matrix of another kind is copied to block CSR. Aggregates follow from the values at set-up;
// update computes values alone and allocates nothing of its own. The matrix is read at every application and must
// outlive this object. Over ranks each rank joins and smooths its own rows; products and coarse matrices are those of
// the whole matrix (across_ranks.hpp). interpolation = "smoothed": smoothed_aggregation.cu, an update is a set-up.
#pragma once
#include <memory>
#include <string>

#include "base/table.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

// Described in aggregation.cpp.
struct AggregationOptions {
  Table smoother;
  std::string cycle = "V";
  int pre, post, passes = 2, levels, coarse_rows, gather_rows;
  double strength, scaling = 1, diffusion = 1;
  bool coarse_floats = false;  // storage of the coarse matrices
  bool smoothed;               // the interpolation

  std::string smoother_type() const { return smoother.get("type", "block_ilu0"); }
};

namespace aggregation {

template <class Space>
std::unique_ptr<Preconditioner<Space>> make(const AggregationOptions& options);
template <class Space>
std::unique_ptr<Preconditioner<Space>> make_smoothed(const AggregationOptions& options);

}  // namespace aggregation

}  // namespace weir
