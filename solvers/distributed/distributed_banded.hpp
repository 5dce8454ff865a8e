// A banded matrix over ranks: the local matrix is a Banded on the rank's box. Bands that point out of the box at a
// cut, and entries of the remainder with a column on another rank, form the coupling of DistributedMatrix, so the
// interpolation of ghost cells near a cut stays implicit.
//
//   A.set_remainder(own, remote);      collective, after the body has moved
//   ... write every band of A.own(), including those that point out of the box ...
//   A.finish_bands();
//
// The halo is rebuilt with the neighbours only in steps in which it needs other cells than before. Arrays keep their
// memory, so allocation stops once they have grown to what the body needs.
#pragma once
#include <vector>

#include "solvers/distributed/box_border.hpp"
#include "solvers/distributed/ghost_planes.hpp"
#include "solvers/distributed/whole_system.hpp"
#include "solvers/matrix/stencil/banded.hpp"

namespace weir {

// An entry of the remainder whose column belongs to another rank.
struct RemoteEntry {
  int row = 0;               // of this rank
  int owner = 0, index = 0;  // rank of the column, index there
  double value = 0;
  int place = 0;  // position among all entries of the row, own ones included
};

template <class Space>
class DistributedBanded final : private LocalPart<Banded<Space>>,
                                public DistributedMatrix<Space>,
                                public Gatherable<Space> {
  using Local = LocalPart<Banded<Space>>;

 public:
  // cuts: of the cells of `whole`. A box of a 3D grid needs two layers along z.
  DistributedBanded(const Communicator& ranks, Extents whole, Periodic periodic, const BoxCuts& cuts,
                    const HaloOptions& options = {});

  Banded<Space>& own() { return Local::own_matrix; }
  const Banded<Space>& own() const { return Local::own_matrix; }
  Extents whole() const { return whole_; }
  const Periodic& periodic() const { return periodic_; }  // of the whole grid
  const BoxCuts& cuts() const { return cuts_; }
  void set_grid(const BandedGrid& grid);
  bool has_grid() const { return has_grid_; }
  const std::array<SeparableDirection, 3>& directions() const { return direction_; }
  // Rows are local; `own` has the entries with local columns.
  void set_remainder(const RemainderData& own, const std::vector<RemoteEntry>& remote);
  void finish_bands();
  bool has_remainder() const { return has_remainder_; }  // on any rank

  bool is_symmetric() const override { return own().is_symmetric() && !has_remainder_; }
  bool has_constant_null_space() const override { return own().has_constant_null_space(); }

  const RankMap& rows_of_ranks() const override { return map_; }
  std::unique_ptr<Matrix<Space>> make_whole() const override;  // a Banded without the remainder
  void update_whole(Matrix<Space>* whole) const override;

 private:
  void connect(const RemainderData& own, const std::vector<RemoteEntry>& remote);
  void join_rows(const RemainderData& own, const std::vector<RemoteEntry>& remote, const Coupling& c);
  bool exact_product(Product p, const double* b, View<const double> x, View<double> y) const override;

  Extents whole_;
  Periodic periodic_;
  BoxCuts cuts_;
  RankBox box_;
  RankMap map_;
  std::array<SeparableDirection, 3> direction_;
  std::vector<BorderLink> border_;       // the links of the bands
  std::vector<GhostRequest> requested_;  // of the current halo ...
  HaloPattern pattern_;                  // ... and its pattern
  GrowingArray<int, Space> slot_;        // of each coupling entry
  // Exact sums, host, x not cut: products use planes of ghosts and all entries of the remainder in their order, so that
  // rows are those of one rank bit by bit.
  bool is_joined_;
  mutable GhostPlanes planes_;
  mutable RemainderData remainder_;  // start, column (ghosts after the cells) and value
  bool has_remainder_ = false;
  bool has_grid_ = false;
  bool is_connected_ = false;
};

}  // namespace weir
