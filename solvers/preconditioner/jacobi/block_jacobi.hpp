// `block_jacobi`: z = D^-1 r, D the B x B diagonal blocks of A, inverted by Gauss-Jordan elimination with row pivoting.
// Options:
//   precision = "double"   what the inverted blocks are stored in; "float"; or "adaptive": each as half, bfloat16, float or
//                          double, the shortest that its condition number and its entries allow (block_precision.hpp)
//   accuracy = 0.1         adaptive: the bound on |J D - I|_1 of a stored block J, between 0 and 1
#pragma once
#include "solvers/device/array.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_block_jacobi(const Table& options);

namespace block_jacobi_host {
// z = D^-1 r; inverse: the inverted blocks, n x n each.
void apply(const double* inverse, int rows, int n, const double* r, double* z);
}  // namespace block_jacobi_host

}  // namespace weir
