// The coupled scheme over ranks: each has a box of cells with two layers of ghosts around it. Where the box was cut, the
// ghosts straight across are the neighbours' cells; no face looks round a corner. Sides of the whole grid and periods that lie
// within a rank are filled by boundary.hpp.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "miniapps/artificial_compressibility/boundary.hpp"
#include "miniapps/structured/ranks.hpp"
#include "solvers/distributed/box_border.hpp"

namespace weir {

class CoupledRanks : public BoxRanks<CoupledCells> {
 public:
  explicit CoupledRanks(const IncompressibleCase& c) : BoxRanks(nullptr, coupled_cells(c, c.unknowns()), {}) {}
  CoupledRanks(const Communicator& ranks, const IncompressibleCase& c, const RankOptions& options)
      : BoxRanks(&ranks, coupled_cells(c, c.unknowns()), options) {}

  BoxCuts cuts() const { return cuts_of(partition()); }
  std::vector<GhostRequest> ghosts() const;  // of a padded field, in cells

  // Where this rank's unknowns lie, here and in the arrays of one rank: vectors of the linear solver, and padded fields
  // (cells, and ghosts beyond the sides of the whole grid).
  struct Places {
    std::vector<int> here, whole;
    std::size_t whole_size;  // of the array of one rank
  };
  Places vector_places() const;
  Places field_places() const;
  std::vector<int> cell_numbers() const;  // of this rank's cells in the whole grid

 private:
  Places places(const std::vector<int>& here, const std::vector<int>& there, int whole_cells) const;
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

// As FlowGather, for vectors of the linear solver ("b") and padded fields (any other name), whose ghosts that lie with other
// ranks come back as 0.
class CoupledGather {
 public:
  explicit CoupledGather(const CoupledRanks& ranks);
  std::vector<double> gathered(const std::string& name, const std::vector<double>& mine) const;
  std::vector<double> scattered(const std::string& name, std::span<const double> whole, std::size_t mine) const;
  std::size_t whole_size(const std::string& name, std::size_t mine) const;

 private:
  struct Part {
    CoupledRanks::Places places;
    RankMap map;
  };
  const Part& part(const std::string& name) const { return name == "b" ? vector_ : field_; }
  bool alone_, is_root_;
  Part field_, vector_;
};

}  // namespace weir
