// The steps of BandedMultigrid. Those of the set-up, and all on Device, are independent loops over cells; on Host the cycle
// runs row by row, several steps in one sweep through memory (banded_multigrid_host.cpp).
#pragma once
#include <span>

#include "solvers/matrix/stencil/banded.hpp"
#include "solvers/preconditioner/multigrid/banded/banded_multigrid_view.hpp"

namespace weir::banded_multigrid {

// The finest level from the bands, slots[d] those towards smaller indices of the level's direction d.
template <class Space>
void load_bands(const BandedView& A, const int* slots, double scale, const LevelView& L);
template <class Space>
double largest_diagonal(const BandedView& A);
// Of the couplings from plane i to plane i + 1 of direction d (0: x) the largest, for every i.
template <class Space>
void largest_couplings(const BandedView& A, int d, double* largest);
template <class Space>
void coarsen(const LevelView& fine, const LevelView& coarse, const TransferView& t);

// v = inverse g, a dense matrix; ends where this is the only level.
template <class Space>
void solve_coarsest(const LevelView& L, const double* inverse, const Ends& ends);

// Step p of n from zero writes u and v in turn, u first. Then:
inline float* after_descent(const LevelView& L, std::size_t n) { return n % 2 ? L.u : L.v; }
inline float* residual_of_descent(const LevelView& L, std::size_t n) { return n % 2 ? L.v : L.u; }
// After the ascent, n steps more, the iterate is in v.

// descend: the steps from zero, and the coarse g = P^T (g - A u). ascend: u += P v_coarse, the steps, z, and r.z where asked.
template <class Space>
void descend(const LevelView& L, const LevelView& coarse, const TransferView& t, std::span<const double> steps,
             const Ends& ends);
template <class Space>
double ascend(const LevelView& L, const LevelView& coarse, const TransferView& t, std::span<const double> steps,
              const Ends& ends, bool dot);

}  // namespace weir::banded_multigrid
