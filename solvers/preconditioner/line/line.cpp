// line: block tridiagonal solves along the lines of a block CSR matrix (BlockCsr::set_lines: contiguous rows, as
// numbered by the orderings `line` and `line_X`); every other row by its diagonal block. It is block ILU(0) of the
// matrix that keeps only the diagonal blocks of A and those between neighbours on a line.
//  d_i = A_ii - A_i,i-1 d_{i-1}^-1 A_{i-1,i},   y_i = d_i^-1 (r_i - A_i,i-1 y_{i-1}),   z_i = y_i - d_i^-1 A_i,i+1
//  z_{i+1}
// Host threads take whole lines; device: one launch for the k-th rows of all lines, short ends of long lines together.
#include "solvers/preconditioner/block_ilu0/block_ilu0.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

constexpr Option line_keys[] = {factor_storage, factor_pivoting};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_line(const Table& options) {
  const Table t = options.described_by(line_keys);
  return std::make_unique<BlockIlu0<Space>>(BlockIluOptions{.pivoting = t.get<bool>("pivoting"),
                                                            .float_factors = t.get<std::string>("storage") == "float",
                                                            .only_lines = true});
}

}  // namespace

constexpr PreconditionerDescription preconditioner::line{
    .name = "line",
    .meaning = "block tridiagonal solves along the lines of the ordering, diagonal blocks elsewhere",
    .citation = "Mavriplis 1998",
    .options = line_keys,
    .matrices = on_block_csr,
    .over_ranks = 0,
    .update_cost = 0.8,
    .divides_by = DividesBy::pivots,
    .bytes = block_ilu0_bytes,
    .make_host = make_line<Host>,
    .make_device = make_line<Device>};

}  // namespace weir
