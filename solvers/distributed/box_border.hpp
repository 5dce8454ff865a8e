// Partition of the 7-point matrix of a structured grid: the cells next to a cut and the couplings across it, as
// ghosts and border rows of a DistributedMatrix.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "solvers/distributed/distributed_matrix.hpp"
#include "solvers/matrix/block/block_stencil.hpp"
#include "solvers/parallel/block_partition.hpp"

namespace weir {

// Cuts of the unknowns per direction: part p has begin[d][p] .. begin[d][p + 1] - 1; parts are numbered x first.
struct BoxCuts {
  std::array<std::vector<int>, 3> begin;
  int parts(int d) const { return static_cast<int>(begin[d].size()) - 1; }
  RankBox box(int rank) const;
  int owner(const std::array<int, 3>& cell) const;
};
// Unknowns from `first` cells after the first cell (velocities on inner faces: 1) to `last` cells before the end.
BoxCuts cuts_of(const BlockPartition& cells, std::array<int, 3> first = {}, std::array<int, 3> last = {});

Extents extents_of(const RankBox& box);
// Periodic directions that are not cut.
Periodic within(const Periodic& whole, const BoxCuts& cuts);
// Cells of a box are numbered x first: conversion between box index and global cell.
inline int index_in(const RankBox& b, const std::array<int, 3>& c) {
  return ((c[2] - b.low[2]) * b.size(1) + c[1] - b.low[1]) * b.size(0) + c[0] - b.low[0];
}
std::array<int, 3> cell_of(const RankBox& box, int index);
// Indices of a box's cells in another box, and in the whole grid.
std::vector<int> places_in(const RankBox& inner, const RankBox& outer);
std::vector<int> places_of(Extents whole, const RankBox& box);
std::string cell_name(const std::array<int, 3>& cell);  // "cell (3, 0, 17)"

struct BorderLink {
  int row = 0;               // of this rank
  int owner = 0, index = 0;  // rank of the column, index there
  int slot = -1;             // slot of the block in its row (block_stencil.hpp); -1: none of the seven
  double value = 0;
};
// All couplings across the cut sides of a rank's box, periodic ones included; values are 0.
std::vector<BorderLink> border_links(Extents whole, const Periodic& periodic, const BoxCuts& cuts, int rank);

// Links as a Coupling. An unknown that several rows refer to is sent once.
struct BorderCoupling {
  explicit BorderCoupling(std::vector<BorderLink> all);
  // pattern: make_halo_pattern(ranks, requests). Entry e of the coupling is links[e]; if block > 1 all values are 0.
  Coupling coupling(const HaloPattern& pattern, int block = 1) const;
  std::vector<int> slots() const;

  std::vector<BorderLink> links;  // row by row
  std::vector<GhostRequest> requests;

 private:
  std::vector<int> request_;  // of each link
};

// Links and the halo for their ghosts. Collective.
struct ConnectedBorder {
  ConnectedBorder(const Communicator& ranks, const BorderCoupling& border, int block = 1)
      : pattern(make_halo_pattern(ranks, border.requests)),
        coupling(border.coupling(pattern, block)),
        slots(border.slots()) {}
  HaloPattern pattern;
  Coupling coupling;
  std::vector<int> slots;
};

// Members that a DistributedMatrix on boxes is constructed from: a base class before it.
template <class Matrix>
struct LocalPart {
  Matrix own_matrix;
  ConnectedBorder border;
};

// Moves the blocks that point out of a box into its coupling. `slot`: of each entry of border row r, as in
// DistributedMatrix; entries with slot < 0 are unchanged.
template <class Space>
void take_border_blocks(const BlockStencilView& blocks, View<const int> row, View<const int> start,
                        View<const int> slot, View<double> value);

}  // namespace weir
