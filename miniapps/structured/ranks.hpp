// The flow distributed over ranks: each rank has a box of cells with a layer of ghosts around it. Where the box was
// cut, the ghosts are cells of the neighbours, including edges and corners. boundary.hpp then fills the ghosts at sides
// of the whole box, and periodic images within a rank, as on one rank.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "miniapps/structured/case.hpp"
#include "miniapps/structured/layout.hpp"
#include "miniapps/structured/metrics.hpp"
#include "solvers/distributed/distributed_stencil.hpp"
#include "solvers/parallel/halo.hpp"
#include "solvers/parallel/rank_map.hpp"
#include "solvers/parallel/spread.hpp"

namespace weir {

struct RankOptions {
  Cutting cutting = Cutting::slabs;
  HaloOptions halo;
  Reduction reduction = Reduction::allreduce;
  bool exact_sums = false;
  int least_layers = 2;  // minimum number of cell layers of a rank along a direction that is cut
};
Options partition_options();
RankOptions read_rank_options(const Table& config);

// Positions of the values of this rank in its own array (empty: all in order) and in the array of the whole grid.
struct Places {
  std::vector<int> here, whole;
  std::size_t whole_size = 0;
};

// A structured grid over ranks. Cells: numbering of the cells by a scheme, in the whole grid and on this rank.
template <class Cells>
class BoxRanks {
 public:
  const Communicator& communicator() const { return *ranks_; }
  bool alone() const { return ranks_->size() == 1; }
  const RankOptions& options() const { return options_; }
  const BlockPartition& partition() const { return partition_; }
  const Cells& whole() const { return whole_; }
  const Cells& local() const { return local_; }

 protected:
  BoxRanks(const Communicator* ranks, const Cells& whole, const RankOptions& options)
      : ranks_(ranks ? std::shared_ptr<const Communicator>(std::shared_ptr<void>(), ranks)
                     : std::make_shared<const Communicator>()),
        options_(options),
        whole_(whole),
        partition_({whole.n[0], whole.n[1], whole.n[2]}, ranks_->size(), options.cutting, options.least_layers),
        local_(part_of(whole_, partition_.box(ranks_->rank()))) {}

  // The value of the padded field of this rank at (i, j, k), from its owner.
  GhostRequest request(int i, int j, int k) const {
    return request(local_.padded_index(i, j, k), i, j, k,
                   [](const Cells& c, int a, int b, int e) { return c.padded_index(a, b, e); });
  }
  // index(cells of the owner, i, j, k there): the index of the value on the owner.
  template <class Index>
  GhostRequest request(int place, int i, int j, int k, const Index& index) const {
    int cell[3] = {i, j, k};
    for (int d = 0; d < 3; ++d) cell[d] = (cell[d] + local_.low[d] + whole_.n[d]) % whole_.n[d];
    const int owner = partition_.owner(cell[0], cell[1], cell[2]);
    const Cells there = part_of(whole_, partition_.box(owner));
    return {place, owner, index(there, cell[0] - there.low[0], cell[1] - there.low[1], cell[2] - there.low[2])};
  }

 private:
  std::shared_ptr<const Communicator> ranks_;  // a single rank if none was given
  RankOptions options_;
  Cells whole_;
  BlockPartition partition_;
  Cells local_;
};

class FlowRanks : public BoxRanks<Layout> {
 public:
  explicit FlowRanks(const IncompressibleCase& c) : BoxRanks(nullptr, make_layout(c), {}) {}  // one rank
  FlowRanks(const Communicator& ranks, const IncompressibleCase& c, const RankOptions& options)
      : BoxRanks(&ranks, make_layout(c), options) {}

  // Cuts of the unknowns of a momentum component (3: the pressure).
  BoxCuts cuts(int component) const;
  std::vector<GhostRequest> ghosts() const;  // ghosts of a padded field
  // Cells beyond low sides that are cut; places: planes of x, then y, then z.
  std::vector<GhostRequest> cells_below() const;

  // Positions of this rank's unknowns in the numbering of one rank (3: cells).
  std::vector<int> unknown_places(int component) const;
  Extents unknowns(int component) const { return component == 3 ? whole().cells() : whole().unknowns(component); }

  // Positions of padded fields, unknowns of each component, cells, boundary planes.
  std::vector<Places> places() const;
  // `name` is that of StaggeredFlow::state(), or "field" for any padded field.
  static std::size_t kind_of(const std::string& name);
};

// Sets the ghosts that belong to other ranks.
template <class Space>
class FlowHalo {
 public:
  explicit FlowHalo(const FlowRanks& ranks);
  void velocity(Flow<Space>& flow);
  void pressure(Flow<Space>& flow) {
    if (!pressure_.empty()) pressure_.exchange(HaloFields::blocks(flow.p.data(), 1));
  }
  void scalar(Array<double, Space>& field) {
    if (!pressure_.empty()) pressure_.exchange(HaloFields::blocks(field.data(), 1));
  }
  PsiBelow psi_below(View<const double> psi);  // valid until the next call
  const std::string& path() const { return velocity_.path(); }

 private:
  Halo<Space> velocity_, pressure_, psi_;
  Array<double, Space> below_;
  std::array<std::int64_t, 3> below_begin_{};
};

// Files have one layout, that of one rank, for any number of ranks.
class Gather {
 public:
  template <class Ranks>
  explicit Gather(const Ranks& ranks) : ranks_(&ranks.communicator()), kind_of_(Ranks::kind_of) {
    if (ranks.alone()) return;
    for (const Places& p : ranks.places()) kinds_.emplace_back(*ranks_, p.whole_size, p.whole, p.here);
  }
  // Null on one rank, which has the whole array.
  const Spread* spread(const std::string& name) const { return kinds_.empty() ? nullptr : &kinds_[kind_of_(name)]; }
  // The whole array on rank 0; empty on other ranks. Called by all ranks.
  std::vector<double> gathered(const std::string& name, const std::vector<double>& mine) const;

 private:
  const Communicator* ranks_;
  std::size_t (*kind_of_)(const std::string& name);
  std::vector<Spread> kinds_;  // empty: one rank
};

}  // namespace weir
