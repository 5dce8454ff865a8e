// A matrix on a structured grid: each cell couples to its face neighbours by dense n x n blocks (Luo et al. 2015,
// Fig. 2).
//
//                 eta (k+1)                 slots of a row, in ascending order of the neighbour's index:
//                  |  zeta (j+1)              0      1      2      3      4        5      6
//                  | /                        alpha  beta   gamma  delta  epsilon  zeta   eta
//   gamma (i-1) -- delta -- epsilon (i+1)     k-1    j-1    i-1    cell   i+1      j+1    k+1
//                / |
//     beta (j-1)  alpha (k-1)               with nz == 1 (2D) only the five from beta to zeta are stored.
//
// Storage: seven arrays of column-major blocks, one array per slot, cell after cell, so that factorisations, sweeps
// and residuals read whole streams. With the seven blocks of a cell stored together (the paper's order) a sweep uses
// 3/7 of a row at a time: on the host it ran 2.8 times slower, the factorisation 3.5 times (65^3, n = 6). Scalar
// arrays at a distance of a multiple of a page are padded: a product reads all of them at once, and at 256^3 their
// lines would compete for the same cache sets (2.3 times the time of its bytes, padded 1.2). A block that points out
// of the grid is never read, unless the direction is periodic: then it couples to the opposite end.
#pragma once
#include "solvers/device/array.hpp"
#include "solvers/matrix/fused_products.hpp"

namespace weir {

// Directions in which opposite ends of the grid are neighbours.
struct Periodic {
  bool x = false, y = false, z = false;
  bool operator==(const Periodic&) const = default;
};

namespace slot {
inline constexpr int alpha = 0, beta = 1, gamma = 2, delta = 3, epsilon = 4, zeta = 5, eta = 6;
inline constexpr int count = 7;
}  // namespace slot

// View for kernels and assembly. Slots are always numbered 0 .. 6; in 2D, 0 and 6 do not exist.
struct BlockStencilView {
  double* values = nullptr;
  Extents cells;
  Periodic periodic;
  int n = 1;                 // unknowns per cell
  int first = 0;             // first stored slot: 0, or 1 in 2D
  int slots = 7;             // number of stored slots: 7, or 5
  std::int64_t padding = 0;  // values between the arrays of consecutive slots
  // Host, products: slots through which the first and the last rows of cells couple to the values in memory before and
  // after x; -1: none.
  int before = -1, after = -1;

  WEIR_HD std::int64_t block_entries() const { return std::int64_t{n} * n; }
  // The view for slots stored without padding, as in upload and download.
  BlockStencilView on(double* compact) const {
    BlockStencilView v = *this;
    v.values = compact;
    v.padding = 0;
    return v;
  }
  WEIR_HD double* slot_blocks(int s) const {
    return values + (s - first) * (cells.count() * block_entries() + padding);
  }
  WEIR_HD double* block(int cell, int s) const { return slot_blocks(s) + cell * block_entries(); }
  WEIR_HD double& entry(int cell, int s, int u, int v) const { return block(cell, s)[std::int64_t{v} * n + u]; }

  // The cell that slot s of a cell couples to; -1: outside the grid. A direction with one cell has no couplings.
  WEIR_HD int neighbour(int cell, int s) const {
    const int i = cell % cells.nx, j = cell / cells.nx % cells.ny, k = cell / (cells.nx * cells.ny);
    switch (s) {
      case slot::alpha:
        return along(cell, k, cells.nz, cells.nx * cells.ny, -1, periodic.z);
      case slot::beta:
        return along(cell, j, cells.ny, cells.nx, -1, periodic.y);
      case slot::gamma:
        return along(cell, i, cells.nx, 1, -1, periodic.x);
      case slot::delta:
        return cell;
      case slot::epsilon:
        return along(cell, i, cells.nx, 1, 1, periodic.x);
      case slot::zeta:
        return along(cell, j, cells.ny, cells.nx, 1, periodic.y);
      default:
        return along(cell, k, cells.nz, cells.nx * cells.ny, 1, periodic.z);
    }
  }

  // Offset of that cell within the grid, without wrapping.
  int step(int s) const {
    const int stride[] = {0, 1, cells.nx, cells.nx * cells.ny};
    return s < slot::delta ? -stride[slot::delta - s] : stride[s - slot::delta];
  }

 private:
  WEIR_HD static int along(int cell, int at, int size, int stride, int step, bool wraps) {
    const int to = at + step;
    if (to >= 0 && to < size) return cell + step * stride;
    return wraps && size > 1 ? cell - step * (size - 1) * stride : -1;
  }
};

// The product `p` on the host and the dot products that belong to it.
Pair host_product(const BlockStencilView& A, Product p, const double* b, const double* x, double* y);

template <class Space>
class BlockStencil : public FusedProducts<BlockStencil<Space>, Matrix<Space>> {
 public:
  // All values 0. Throws Error(usage) if a size is below 1 or the matrix is too large for an int index.
  BlockStencil(Extents cells, int block, Periodic periodic = {});

  int rows() const override { return cells_.count(); }
  int block() const override { return n_; }
  static constexpr bool fuses(Product p) { return p == Product::residual_dot && std::is_same_v<Space, Host>; }
  Pair product(Product p, const double* b, const double* x, double* y) const;  // Alg. 7
  void block_diagonal(int first, View<double> d) const override;
  bool is_symmetric() const override { return symmetric_; }
  void set_symmetric(bool symmetric) { symmetric_ = symmetric; }  // asserted by the code that fills the values
  Work apply_work() const override;

  Extents cells() const { return cells_; }
  Periodic periodic() const { return periodic_; }
  // For writing values in place; preconditioners then need an update().
  BlockStencilView stencil() const;
  View<double> values() { return values_.view(); }  // including padding
  View<const double> values() const { return values_.view(); }
  // All slots without padding: entries() values.
  std::int64_t entries() const;
  void upload(std::span<const double> values);
  void download(std::span<double> values) const;

 private:
  Extents cells_;
  Periodic periodic_;
  int n_ = 1;
  std::int64_t padding_ = 0;
  bool symmetric_ = false;
  Array<double, Space> values_;
};

}  // namespace weir
