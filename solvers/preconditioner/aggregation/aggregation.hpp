// aggregation: algebraic multigrid by aggregates for block CSR matrices of any block size (Vanek, Mandel & Brezina 1996 without
// smoothing; Notay, Electron. Trans. Numer. Anal. 37 (2010) 123). For finite volumes of first order it is the agglomeration
// multigrid of Lallemand, Steve & Dervieux, Comput. Fluids 21 (1992) 397: the sum of the rows of an aggregate is the balance
// of the joined cell, and an upwind flux between cells stays one between aggregates.
//   A_{l+1} = P^T A_l P,   P: 1 from an aggregate to each of its rows (aggregates.hpp)
//   cycle:  [z = S r]_pre,   d = r - A z,   c = scaling C P^T d,   z += P c + S (d - A P c),   [z += S (r - A z)]_(post - 1)
// C: what the next level makes of it.
// The coarsest level has a full pattern, so that its block ILU(0) solves it exactly; of a matrix whose null space is the
// constants these are shifted to its mean eigenvalue there. A matrix that is no block CSR is written out as one.
// Aggregates are those of the values at setup; update computes numbers alone and allocates nothing of its own. The matrix is
// read at every application, and must outlive this.
// interpolation = "smoothed": smoothed_aggregation.cu, of which an update is a set-up.
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
  int pre, post, passes = 2, levels, coarse_rows;
  double strength, scaling = 1, diffusion = 1;
  bool coarse_floats = false;  // what coarse matrices are stored in
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
