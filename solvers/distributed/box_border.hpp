// Where the 7-point matrix of a structured grid over ranks leaves a rank's box: the cells beside a cut, and the couplings
// that point across it, as the ghosts and the border rows of a DistributedMatrix.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "solvers/distributed/distributed_matrix.hpp"
#include "solvers/matrix/block/block_stencil.hpp"
#include "solvers/parallel/block_partition.hpp"

namespace weir {

// Where the unknowns of a direction are cut: part p has begin[d][p] .. begin[d][p + 1] - 1; parts are numbered x first.
struct BoxCuts {
  std::array<std::vector<int>, 3> begin;
  int parts(int d) const { return static_cast<int>(begin[d].size()) - 1; }
  RankBox box(int rank) const;
  int owner(const std::array<int, 3>& cell) const;
};
// The unknowns lie `first` cells after the first cell (velocities on inner faces: 1) and end `last` cells before the end.
BoxCuts cuts_of(const BlockPartition& cells, std::array<int, 3> first = {}, std::array<int, 3> last = {});

Extents extents_of(const RankBox& box);
// Periods that lie within a box.
Periodic within(const Periodic& whole, const BoxCuts& cuts);
// A box counts its cells x first: the number of a cell of the whole grid, and back.
inline int index_in(const RankBox& b, const std::array<int, 3>& c) {
  return ((c[2] - b.low[2]) * b.size(1) + c[1] - b.low[1]) * b.size(0) + c[0] - b.low[0];
}
std::array<int, 3> cell_of(const RankBox& box, int index);
// The numbers of a box's cells in another, and in the whole grid.
std::vector<int> places_in(const RankBox& inner, const RankBox& outer);
std::vector<int> places_of(Extents whole, const RankBox& box);
std::string cell_name(const std::array<int, 3>& cell);  // "cell (3, 0, 17)"

// A coupling to another rank's unknown.
struct BorderLink {
  int row = 0;               // of this rank
  int owner = 0, index = 0;  // of the column: its rank, its number there
  int slot = -1;             // of the block in its row, as block_stencil.hpp counts; -1: none of the seven
  double value = 0;
};
// Across every cut side of a rank's box, periods included; the values are left 0.
std::vector<BorderLink> border_links(Extents whole, const Periodic& periodic, const BoxCuts& cuts, int rank);

// Links as a Coupling. An unknown that several rows refer to travels once.
struct BorderCoupling {
  explicit BorderCoupling(std::vector<BorderLink> all);
  // pattern: make_halo_pattern(ranks, requests). Entry e of the coupling is links[e]; where block > 1 all values are 0.
  Coupling coupling(const HaloPattern& pattern, int block = 1) const;
  std::vector<int> slots() const;

  std::vector<BorderLink> links;  // row by row
  std::vector<GhostRequest> requests;

 private:
  std::vector<int> request_;  // of each link
};

// Links with the halo that brings their ghosts. All ranks call.
struct ConnectedBorder {
  ConnectedBorder(const Communicator& ranks, const BorderCoupling& border, int block = 1)
      : pattern(make_halo_pattern(ranks, border.requests)),
        coupling(border.coupling(pattern, block)),
        slots(border.slots()) {}
  HaloPattern pattern;
  Coupling coupling;
  std::vector<int> slots;
};

// What a DistributedMatrix on boxes refers to and is made from: a base before it.
template <class Matrix>
struct LocalPart {
  Matrix own_matrix;
  ConnectedBorder border;
};

// The blocks that point out of a box come into its coupling: `slot` of each entry of border row r, as in DistributedMatrix;
// entries whose slot is below 0 stay.
template <class Space>
void take_border_blocks(const BlockStencilView& blocks, View<const int> row, View<const int> start,
                        View<const int> slot, View<double> value);

}  // namespace weir
