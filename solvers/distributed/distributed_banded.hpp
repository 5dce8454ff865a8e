// A banded matrix over ranks: each has a box of the cells, its local matrix is a Banded on that box. Bands that point out of
// the box where it was cut meet ghosts, and so do entries of the remainder whose column lies with another rank, anywhere in
// the grid: they are the coupling of DistributedMatrix. So the interpolation of a ghost cell beside a border stays implicit.
//
//   A.set_remainder(own, remote);      all ranks, when the body has moved
//   ... write every band of A.own(), those that point out of the box too ...
//   A.finish_bands();
//
// A halo that needs other cells than the last agrees with its neighbours anew, in a step in which a moving body's rows cross a
// border differently, and in no other. Arrays keep their memory: once it has grown to what the body needs, nothing is allocated.
#pragma once
#include <vector>

#include "solvers/distributed/box_border.hpp"
#include "solvers/distributed/whole_system.hpp"
#include "solvers/matrix/stencil/banded.hpp"

namespace weir {

// An entry of the remainder whose column another rank owns.
struct RemoteEntry {
  int row = 0;               // of this rank
  int owner = 0, index = 0;  // of the column: its rank, its number there
  double value = 0;
};

template <class Space>
class DistributedBanded final : private LocalPart<Banded<Space>>,
                                public DistributedMatrix<Space>,
                                public Gatherable<Space> {
  using Local = LocalPart<Banded<Space>>;

 public:
  // cuts: of `whole` cells. A box of a 3D grid needs two layers along z.
  DistributedBanded(const Communicator& ranks, Extents whole, Periodic periodic, const BoxCuts& cuts,
                    const HaloOptions& options = {});

  Banded<Space>& own() { return Local::own_matrix; }
  const Banded<Space>& own() const { return Local::own_matrix; }
  Extents whole() const { return whole_; }
  const Periodic& periodic() const { return periodic_; }  // the whole grid
  const BoxCuts& cuts() const { return cuts_; }
  const HaloOptions& halo_options() const { return options_; }
  // Of the whole, as Banded's.
  void set_grid(const BandedGrid& grid);
  bool has_grid() const { return has_grid_; }
  const std::array<SeparableDirection, 3>& directions() const { return direction_; }
  // Rows are this rank's; `own` holds the entries whose columns are this rank's too.
  void set_remainder(const RemainderData& own, const std::vector<RemoteEntry>& remote);
  void finish_bands();
  bool has_remainder() const { return has_remainder_; }  // on any rank

  bool is_symmetric() const override { return own().is_symmetric() && !has_remainder_; }
  bool has_constant_null_space() const override { return own().has_constant_null_space(); }

  const RankMap& rows_of_ranks() const override { return map_; }
  std::unique_ptr<Matrix<Space>> make_whole() const override;  // a Banded, without the remainder
  void update_whole(Matrix<Space>* whole) const override;

 private:
  void connect(const std::vector<RemoteEntry>& remote);

  Extents whole_;
  Periodic periodic_;
  BoxCuts cuts_;
  RankBox box_;
  RankMap map_;
  HaloOptions options_;
  std::array<SeparableDirection, 3> direction_;
  std::vector<BorderLink> border_;       // the bands' own
  std::vector<GhostRequest> requested_;  // of the halo as it is ...
  HaloPattern pattern_;                  // ... and its pattern
  GrowingArray<int, Space> slot_;        // of each entry of the coupling
  bool has_remainder_ = false;
  bool has_grid_ = false;
  bool is_connected_ = false;
};

}  // namespace weir
