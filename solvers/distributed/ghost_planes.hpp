// Planes of ghosts on both sides of a box, in the order of its rows.
#pragma once
#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "base/at.hpp"
#include "solvers/distributed/distributed_matrix.hpp"
#include "solvers/matrix/block/block_stencil.hpp"
#include "solvers/matrix/stencil/planes_beyond.hpp"

namespace weir {

class GhostPlanes {
 public:
  // slots: of the entries of the coupling (box_border.hpp); those of x must not be among them.
  void connect(const Coupling& c, const std::vector<int>& slots) {
    block_ = at(c.block);
    for (Plane& p : planes_) p.ghost.clear();
    for (std::size_t r = 0; r < c.row.size(); ++r)  // rows ascend
      for (std::size_t e = at(c.start[r]); e < at(c.start[r + 1]); ++e) {
        const int step = slots[e] - slot::delta;  // -2, 2: y; -3, 3: z
        if (slots[e] >= 0) planes_[(step > 0 ? 1 : 0) + (std::abs(step) == 3 ? 2 : 0)].ghost.push_back(c.ghost[e]);
      }
    for (Plane& p : planes_) p.value.resize(p.ghost.size() * block_);
  }
  // Valid until the next call.
  PlanesBeyond take(const double* ghosts) {
    const double* plane[4];
    for (std::size_t s = 0; s < planes_.size(); ++s) {
      Plane& p = planes_[s];
      for (std::size_t i = 0; i < p.ghost.size(); ++i)
        std::copy_n(ghosts + at(p.ghost[i]) * block_, block_, p.value.data() + i * block_);
      plane[s] = p.value.empty() ? nullptr : p.value.data();
    }
    return {plane[0], plane[1], plane[2], plane[3]};
  }

  // {values before, x, values after} for a box that is cut in its last direction only.
  std::vector<double>& around(View<const double> x, const double* ghosts) {
    take(ghosts);
    around_.clear();
    for (const std::size_t s : {0, 2}) around_.insert(around_.end(), planes_[s].value.begin(), planes_[s].value.end());
    around_.insert(around_.end(), x.data(), x.data() + x.size());
    for (const std::size_t s : {1, 3}) around_.insert(around_.end(), planes_[s].value.begin(), planes_[s].value.end());
    return around_;
  }
  std::size_t values_before() const { return planes_[0].value.size() + planes_[2].value.size(); }
  std::size_t values_after() const { return planes_[1].value.size() + planes_[3].value.size(); }

 private:
  struct Plane {
    std::vector<int> ghost;  // of each of its values
    std::vector<double> value;
  };
  std::array<Plane, 4> planes_;  // south, north, below, above
  std::size_t block_ = 1;
  std::vector<double> around_;
};

}  // namespace weir
