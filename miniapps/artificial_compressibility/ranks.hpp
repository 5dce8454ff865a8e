// The coupled scheme over ranks: each rank has a box of cells with two layers of ghosts. At a cut the ghosts are the
// cells of the neighbour; edges and corners are not needed. boundary.hpp fills the sides of the whole grid and periodic
// sides within a rank.
#pragma once
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
  HaloPattern ghosts() const;  // ghosts of a padded field that belong to other ranks, in cells. All ranks call.

  // Places of padded fields (cells, ghosts beyond sides of the whole grid), of vectors of the linear solver ("b"), and
  // of the fields and the divergence of CoupledCopy.
  std::vector<Places> places() const { return {field_places(), vector_places(), copy_places(), cell_places()}; }
  static std::size_t kind_of(const std::string& name) {
    return name == "b" ? 1 : name == "field" ? 2 : name == "divergence" ? 3 : 0;
  }
  Places field_places() const;
  std::vector<int> cell_numbers() const;  // of this rank's cells in the whole grid

 private:
  Places vector_places() const, copy_places() const, cell_places() const;
};

}  // namespace weir
