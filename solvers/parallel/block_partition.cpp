#include "solvers/parallel/block_partition.hpp"

#include <limits>

#include "base/error.hpp"

namespace weir {
namespace {

std::array<int, 3> slabs(const std::array<int, 3>& cells, int ranks) {
  std::array<int, 3> parts{1, 1, 1};
  parts[cells[2] > 1 ? 2 : cells[1] > 1 ? 1 : 0] = ranks;
  return parts;
}

// The factorisation with the smallest cut area; if equal, the one with whole rows along x.
std::array<int, 3> blocks(const std::array<int, 3>& cells, int ranks, int least) {
  std::array<int, 3> best{0, 0, 0};
  double smallest = std::numeric_limits<double>::max();
  for (int px = 1; px <= ranks; ++px) {
    if (ranks % px != 0) continue;
    for (int py = 1; py <= ranks / px; ++py) {
      if (ranks / px % py != 0) continue;
      const std::array<int, 3> parts{px, py, ranks / px / py};
      double area = 0;
      bool fits = true;
      for (int d = 0; d < 3; ++d) {
        fits = fits && (parts[d] == 1 || cells[d] / parts[d] >= least);
        area += (parts[d] - 1.0) * cells[(d + 1) % 3] * cells[(d + 2) % 3];
      }
      if (fits && area < smallest) {
        smallest = area;
        best = parts;
      }
    }
  }
  return best;
}

}  // namespace

BlockPartition::BlockPartition(std::array<int, 3> cells, int ranks, Cutting cutting, int least)
    : cells_(cells), cutting_(cutting) {
  parts_ = cutting == Cutting::slabs ? slabs(cells, ranks) : blocks(cells, ranks, least);
  bool fits = parts_[0] > 0;
  for (int d = 0; d < 3; ++d) fits = fits && (parts_[d] == 1 || cells_[d] / parts_[d] >= least);
  if (fits) return;
  throw Error(Exit::usage, std::to_string(cells[0]) + " x " + std::to_string(cells[1]) + " x " +
                               std::to_string(cells[2]) + " cells are too few for " + std::to_string(ranks) +
                               (cutting == Cutting::slabs ? " slabs" : " blocks") + ": a part needs " +
                               std::to_string(least) + " layers" +
                               (cutting == Cutting::slabs ? "; use fewer ranks, or partition = \"blocks\"" : ""));
}

int BlockPartition::begin(int d, int part) const {
  return static_cast<int>(static_cast<long long>(cells_[d]) * part / parts_[d]);
}

RankBox BlockPartition::box(int rank) const {
  const int part[3] = {rank % parts_[0], rank / parts_[0] % parts_[1], rank / parts_[0] / parts_[1]};
  RankBox b;
  for (int d = 0; d < 3; ++d) {
    b.low[d] = begin(d, part[d]);
    b.high[d] = begin(d, part[d] + 1);
  }
  return b;
}

int BlockPartition::owner(int i, int j, int k) const {
  const int cell[3] = {i, j, k};
  int part[3];
  for (int d = 0; d < 3; ++d) {
    int p = static_cast<int>(static_cast<long long>(cell[d]) * parts_[d] / cells_[d]);
    while (p + 1 < parts_[d] && begin(d, p + 1) <= cell[d]) ++p;
    while (p > 0 && begin(d, p) > cell[d]) --p;
    part[d] = p;
  }
  return (part[2] * parts_[1] + part[1]) * parts_[0] + part[0];
}

std::string BlockPartition::describe() const {
  return std::to_string(parts_[0]) + " x " + std::to_string(parts_[1]) + " x " + std::to_string(parts_[2]) +
         (cutting_ == Cutting::slabs ? " slabs" : " blocks");
}

}  // namespace weir
