// Aggregates over ranks: each rank joins its own rows only, so the coarse blocks between ranks are sums of the blocks
// between ranks, (P^T A P)_IJ with I of this rank and J of another one, and the halo follows from that of the finer
// level. Aggregates of all ranks are numbered rank by rank.
#pragma once
#include <vector>

#include "solvers/distributed/distributed_matrix.hpp"
#include "solvers/preconditioner/aggregation/aggregates.hpp"

namespace weir::aggregation {

// The aggregates of rank r are begin[r] .. begin[r + 1] - 1.
struct Numbering {
  std::vector<int> begin;
  int all() const { return begin.back(); }
  int owner(int number) const;
};
Numbering number_aggregates(const Communicator& ranks, int mine);  // collective

// The coarse coupling; block k is the sum of the blocks term[first[k]] .. term[first[k + 1] - 1] of the finer one.
struct CoarseCoupling {
  Coupling beyond;          // all values zero
  std::vector<int> number;  // aggregate of each of its ghosts, ascending
  std::vector<int> first, term;
  std::vector<int> ghost;  // coarse ghost of each block of the finer coupling

  std::vector<GhostRequest> requests(const Numbering& numbering) const;
};
// number_of_ghost: the aggregate of each ghost of the finer level.
CoarseCoupling coarse_coupling(const Coupling& fine, const std::vector<int>& number_of_ghost,
                               const Aggregates& aggregates);

// This rank's rows of the coarse matrix with the columns of all ranks.
struct WholeRows {
  Pattern rows;
  std::vector<int> into;  // as CoarsePattern::into
  std::vector<int> to;    // position of each coarse coupling block among the blocks of these rows
};
// own: the pattern between aggregates of this rank. full: all blocks, zero or not.
WholeRows whole_rows(const Pattern& fine, const Aggregates& aggregates, const CoarsePattern& own,
                     const CoarseCoupling& across, const Numbering& numbering, int rank, bool full);

// Position of the block (J, I) in the coupling of the owner of J, for each block (I, J) of this one; -1: it has none.
// Collective.
std::vector<int> transposed_places(const Communicator& ranks, const Coupling& coupling,
                                   const std::vector<GhostRequest>& ghosts);

}  // namespace weir::aggregation
