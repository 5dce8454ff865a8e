// Block rows for a plugin that does not support the matrix's own format. The pattern is made once. New values of a
// stencil, or of blocks converted to scalar rows, are one pass into the same arrays without allocation.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/block/block_stencil.hpp"

namespace weir {

template <class Space>
class ConvertedRows {
 public:
  explicit ConvertedRows(bool scalar) : scalar_(scalar) {}  // scalar: one row per unknown
  // The same object with the same arrays if A has the same pattern as in the last call.
  const BlockCsr<Space>& of(const Matrix<Space>& A);
  std::int64_t bytes() const;

 private:
  struct Grid {
    Extents cells;
    Periodic periodic;
    int block = 0;
    bool operator==(const Grid&) const = default;
  };
  const BlockCsr<Space>& of_stencil(const BlockStencil<Space>& A, bool upper_only);
  const BlockCsr<Space>& of_blocks(const BlockCsr<Space>& A);
  const BlockCsr<Space>& of_any(const Matrix<Space>& A);
  void keep(BlockCsrData data);
  void find_places(const BlockStencil<Space>& A);

  bool scalar_;
  std::optional<BlockCsr<Space>> rows_;
  Grid grid_;                                    // rows_ are those of this stencil, or
  std::shared_ptr<BlockPattern<Space>> blocks_;  // of this pattern, or
  std::vector<std::int64_t> row_start_;          // of these rows
  std::vector<int> column_;
  Array<signed char, Space> place_;  // index of a cell's slots among the blocks of its row
};

}  // namespace weir
