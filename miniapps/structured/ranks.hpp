// The flow over ranks: each has a box of cells with a layer of ghosts around it. Where the box was cut, the ghosts are
// the neighbours' cells, edges and corners included; sides of the whole box and periods that lie within a rank are
// filled by boundary.hpp afterwards, as on one rank.
//   [ranks]  partition = "slabs" | "blocks", halo = "naive" | "pairs" | "persistent" | "neighbourhood",
//            device_path = "probe" | "staged" | "direct", reduction = "gather" | "tree" | "allreduce" | "nonblocking"
#pragma once
#include <array>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "miniapps/structured/case.hpp"
#include "miniapps/structured/layout.hpp"
#include "miniapps/incompressible/projection.hpp"
#include "solvers/distributed/distributed_stencil.hpp"
#include "solvers/parallel/halo.hpp"
#include "solvers/parallel/rank_map.hpp"

namespace weir {

struct RankOptions {
  Cutting cutting = Cutting::slabs;
  HaloOptions halo;
  Reduction reduction = Reduction::allreduce;
  int least_layers = 2;  // of cells of a rank along a direction that is cut
};
RankOptions read_rank_options(const Table& config);

class FlowRanks {
 public:
  FlowRanks(const Communicator& ranks, const IncompressibleCase& c, const RankOptions& options);

  const Communicator& communicator() const { return *ranks_; }
  bool alone() const { return ranks_->size() == 1; }
  const RankOptions& options() const { return options_; }
  const BlockPartition& partition() const { return partition_; }
  const Layout& whole() const { return whole_; }
  const Layout& local() const { return local_; }

  // Unknowns of a momentum component (3: the pressure).
  BoxCuts cuts(int component) const;
  std::vector<GhostRequest> ghosts() const;       // of a padded field
  std::vector<GhostRequest> cells_below() const;  // beyond low sides that are cut: place in planes of x, then y, then z

  // Where this rank's values lie in the arrays of one rank: padded fields, unknowns of a component (3: cells), planes.
  std::vector<int> field_places() const;
  std::vector<int> unknown_places(int component) const;
  int whole_size(int component) const {
    return component == 3 ? whole_.cells().count() : whole_.unknowns(component).count();
  }

 private:
  const Communicator* ranks_;
  RankOptions options_;
  Layout whole_, local_;
  BlockPartition partition_;
};

// The ghosts that other ranks own.
template <class Space>
class FlowHalo {
 public:
  explicit FlowHalo(const FlowRanks& ranks);
  void velocity(Flow<Space>& flow);
  void pressure(Flow<Space>& flow);
  PsiBelow psi(View<const double> psi);  // valid until the next call
  Traffic traffic() const;
  const std::string& path() const { return velocity_.path(); }

 private:
  Halo<Space> velocity_, pressure_, psi_;
  Array<double, Space> below_;
  std::array<std::int64_t, 3> below_begin_{};
};

// Files know one layout, that of one rank: the root rank gathers the arrays and scatters them, whatever the number of
// ranks that wrote them.
class FlowGather {
 public:
  explicit FlowGather(const FlowRanks& ranks);
  // `name` is that of FractionalStep::state(). whole: on rank 0, empty on the others.
  const RankMap& map(const std::string& name) const;
  std::size_t whole_size(const std::string& name) const;

 private:
  std::size_t kind(const std::string& name) const;
  std::array<RankMap, 6> maps_;  // field, unknowns of x, y, z, cells, planes
  std::array<std::size_t, 6> size_{};
};

}  // namespace weir
