// Block stencil systems for tests and benchmarks, and the textbook block ILU(0) that implementations are held to.
#pragma once
#include <cstdint>
#include <vector>

#include "solvers/matrix/block/block_stencil.hpp"

namespace weir::test {

// Values in BlockStencil's storage order, on the host.
struct BlockSystem {
  Extents cells;
  Periodic periodic;
  int n = 1;
  std::vector<double> values;
  std::vector<double> b;

  BlockStencilView view() { return view_of(values.data()); }
  BlockStencilView view() const { return view_of(const_cast<double*>(values.data())); }

 private:
  BlockStencilView view_of(double* v) const {
    const int slots = cells.nz == 1 ? 5 : 7;
    return {v, cells, periodic, n, slots == 5 ? 1 : 0, slots};
  }
};

// Dense random blocks, each row dominated by its diagonal entry as the rows of an implicit flow step are: |diagonal| is
// `dominance` times the sum of the magnitudes of the rest. Blocks that point out of the grid hold not-a-number.
BlockSystem random_system(Extents cells, int n, std::uint64_t seed, Periodic periodic = {}, double dominance = 1.5);

// Block ILU(0) by its definition (Saad 2003, Alg. 10.4 on blocks): rows in natural order, elimination within the
// pattern, any pair of neighbours may be hit. Slow on purpose: it searches, and inverts each diagonal block again with
// pivoting.
class TextbookBlockIlu0 {
 public:
  explicit TextbookBlockIlu0(const BlockSystem& A);
  std::vector<double> inverted_diagonals() const;                 // of U, each column by column
  std::vector<double> solve(const std::vector<double>& r) const;  // U^-1 L^-1 r

 private:
  struct Entry {
    int column;
    std::vector<double> block;  // column by column
  };
  const std::vector<double>* find(int row, int column) const;
  std::size_t index(int cell, int u) const { return static_cast<std::size_t>(cell * n_ + u); }

  int n_ = 1;
  std::vector<std::vector<Entry>> rows_;  // ascending columns; L has unit diagonal blocks
};

// y = A x with plain loops, and the largest magnitude of a - b relative to that of b.
std::vector<double> textbook_product(const BlockSystem& A, const std::vector<double>& x);
double relative_difference(const std::vector<double>& a, const std::vector<double>& b);
std::vector<double> random_vector(std::size_t size, std::uint64_t seed);  // in [-1, 1]

}  // namespace weir::test
