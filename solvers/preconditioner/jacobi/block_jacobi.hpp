// `block_jacobi`: z = D^-1 r, D the B x B diagonal blocks of A, inverted by Gauss-Jordan elimination with row pivoting.
// storage = "adaptive": each inverted block as half, bfloat16, float or double, the shortest that its condition number and
// its entries allow (rounded_blocks.hpp).
#pragma once
#include "solvers/device/array.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

namespace block_jacobi_host {
// z = D^-1 r; inverse: the inverted blocks, n x n each.
void apply(const double* inverse, int rows, int n, const double* r, double* z);
}  // namespace block_jacobi_host

}  // namespace weir
