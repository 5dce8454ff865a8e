// The grid behind a banded matrix, as multigrid takes it.
#pragma once
#include <array>

#include "solvers/parallel/block_partition.hpp"
#include "solvers/matrix/stencil/banded.hpp"

namespace weir {
class Communicator;
}
namespace weir::banded_multigrid {

inline constexpr double merge_factor = 3,
                        reduction = 0.65;  // as in Multigrid: which cells of a stretched grid are merged

// The grid as the couplings tell it, where nobody else has: with volumes in the rows, the coupling across a face is its area
// over the distance, h_y h_z / d_x. The largest of a plane belongs to its widest open cells, whose widths H are the largest
// distances; so the smallest of these over all planes is m_x = H_y H_z / H_x, and H_z^2 = m_x m_y.
// `cubes`: the lines of the whole grid, which are the answer where nothing can be told. Over ranks A is the matrix of
// this rank's box of it, and all ranks call.
template <class Space>
std::array<SeparableDirection, 3> judged_directions(const Banded<Space>& A,
                                                    const std::array<SeparableDirection, 3>& cubes, const RankBox& box,
                                                    const Communicator& ranks);

}  // namespace weir::banded_multigrid
