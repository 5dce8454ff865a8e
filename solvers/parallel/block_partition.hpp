// Partition of a structured box: slabs across the last direction (the paper's row-oriented partition, rows being
// numbered x first), or blocks in all three. Parts differ by at most one layer of cells.
#pragma once
#include <array>
#include <string>
#include <vector>

namespace weir {

enum class Cutting { slabs, blocks };

// Cells [low, high) per direction.
struct RankBox {
  std::array<int, 3> low{}, high{1, 1, 1};
  int size(int d) const { return high[d] - low[d]; }
  bool operator==(const RankBox&) const = default;
};

class BlockPartition {
 public:
  BlockPartition() = default;  // one rank, one cell
  // Throws Error(usage) if a part would have fewer than `least` cells in a cut direction.
  BlockPartition(std::array<int, 3> cells, int ranks, Cutting cutting, int least = 2);

  const std::array<int, 3>& cells() const { return cells_; }
  const std::array<int, 3>& parts() const { return parts_; }  // per direction; their product is the number of ranks
  int ranks() const { return parts_[0] * parts_[1] * parts_[2]; }
  bool is_cut(int d) const { return parts_[d] > 1; }

  int begin(int d, int part) const;  // first cell of a part; part = number of parts: the end
  RankBox box(int rank) const;
  int owner(int i, int j, int k) const;  // rank of a cell
  std::string describe() const;          // "1 x 1 x 4 slabs"

 private:
  std::array<int, 3> cells_{1, 1, 1}, parts_{1, 1, 1};
  Cutting cutting_ = Cutting::slabs;
};

}  // namespace weir
