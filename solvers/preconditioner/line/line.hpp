// line: block tridiagonal solves along the lines of a block CSR matrix (BlockCsr::set_lines: contiguous rows, as the
// orderings `line` and `line_X` give them), every other row by its diagonal block. Exact on the lines, nothing between
// them: block ILU(0) of the matrix that keeps, of A's blocks, the diagonal ones and those between neighbours on a line.
//   d_i = A_ii - A_i,i-1 d_{i-1}^-1 A_{i-1,i},   y_i = d_i^-1 (r_i - A_i,i-1 y_{i-1}),   z_i = y_i - d_i^-1 A_i,i+1 z_{i+1}
// Host threads take whole lines; Device: a launch for the k-th rows of all lines, short ends of long lines together.
//   factors = "double"     or "float": the precision the blocks are stored in
//   pivoting = false       exchange rows within a block while inverting it
#pragma once
#include <memory>

#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_line(const Table& options);

}  // namespace weir
