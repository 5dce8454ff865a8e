// The coupled scheme over ranks: each has a box of cells with two layers of ghosts around it. Where the box was cut, the
// ghosts straight across are the neighbours' cells; no face looks round a corner. Sides of the whole grid and periods that lie
// within a rank are filled by boundary.hpp.
#pragma once
#include <span>
#include <vector>

#include "miniapps/artificial_compressibility/boundary.hpp"
#include "miniapps/structured/ranks.hpp"
#include "solvers/distributed/box_border.hpp"

namespace weir {

class CoupledRanks {
 public:
  CoupledRanks(const Communicator& ranks, const IncompressibleCase& c, const RankOptions& options);

  const Communicator& communicator() const { return *ranks_; }
  bool alone() const { return ranks_->size() == 1; }
  const RankOptions& options() const { return options_; }
  const BlockPartition& partition() const { return partition_; }
  const CoupledCells& whole() const { return whole_; }
  const CoupledCells& local() const { return local_; }
  BoxCuts cuts() const { return cuts_of(partition_); }

  std::vector<GhostRequest> ghosts() const;  // of a padded field, in cells

  // Where this rank's unknowns lie, here and in the arrays of one rank: vectors of the linear solver, and padded fields
  // (cells, and ghosts beyond the sides of the whole grid).
  struct Places {
    std::vector<int> here, whole;
  };
  Places vector_places() const;
  std::vector<int> cell_numbers() const;  // of this rank's cells in the whole grid
  Places field_places() const;
  std::size_t vector_size() const { return static_cast<std::size_t>(whole_.whole_count() * whole_.unknowns); }
  std::size_t field_size() const {
    return static_cast<std::size_t>(std::int64_t{1} * whole_.padded_count() * whole_.unknowns);
  }

 private:
  const Communicator* ranks_;
  RankOptions options_;
  CoupledCells whole_;
  BlockPartition partition_;
  CoupledCells local_;
};

// The ghosts that other ranks own.
template <class Space>
class CoupledHalo {
 public:
  explicit CoupledHalo(const CoupledRanks& ranks);
  void exchange(CoupledField<Space>& x);
  const std::string& path() const { return halo_.path(); }

 private:
  int unknowns_;
  Halo<Space> halo_;
};

// Files know one layout, that of one rank: the root rank gathers the arrays and scatters them, whatever the number of ranks
// that wrote them. All ranks call; whole arrays are empty but on rank 0. On one rank they are the arrays themselves.
class CoupledGather {
 public:
  explicit CoupledGather(const CoupledRanks& ranks);
  std::vector<double> field(const std::vector<double>& mine) const { return gathered(field_, mine); }
  std::vector<double> vector(const std::vector<double>& mine) const { return gathered(vector_, mine); }
  // Of a padded field: ghosts that lie with other ranks are left 0.
  std::vector<double> field_of(std::span<const double> whole) const;

 private:
  struct Part {
    std::vector<int> here;
    RankMap map;
    std::size_t mine = 0, whole = 0;  // sizes
  };
  Part part(const CoupledRanks& ranks, CoupledRanks::Places places, std::size_t mine, std::size_t whole) const;
  std::vector<double> gathered(const Part& part, const std::vector<double>& mine) const;
  bool is_root_;
  Part field_, vector_;
};

}  // namespace weir
