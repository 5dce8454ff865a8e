// Copies arrays of the ranks' boxes of a structured grid to larger boxes around them: own cells locally, others from
// their owners. Floats are sent as doubles. No allocation after construction.
#pragma once
#include <functional>
#include <vector>

#include "solvers/distributed/box_border.hpp"
#include "solvers/parallel/rank_map.hpp"

namespace weir {

// to[i] = from[place[i]]
template <class Space>
void take_at(View<const int> place, View<const double> from, View<double> to);

// A permutation of the values of a box.
using PlaceInBox = int (*)(const RankBox& box, const std::array<int, 3>& cell);

template <class Space>
class BoxSpread {
 public:
  BoxSpread() = default;
  // Collective. sizes: of the whole grid. source(rank): the box covered by the arrays of a rank, including its own
  // cells; target: box of this rank's arrays to fill, which may exceed the ends of a periodic direction. width:
  // arrays per call, at most 7. with_own: false if source and target are the same array.
  BoxSpread(const Communicator& ranks, const BoxCuts& cuts, std::array<int, 3> sizes,
            const std::function<RankBox(int)>& source, const RankBox& target, int width, bool with_own,
            const HaloOptions& options, PlaceInBox place = index_in);

  template <class T>
  struct Arrays {
    T* part[7] = {};
  };
  template <class T>
  void operator()(const Arrays<const T>& from, const Arrays<T>& to) const;
  void operator()(const double* from, double* to) const { (*this)(Arrays<const double>{{from}}, Arrays<double>{{to}}); }
  void operator()(const float* from, float* to) const { (*this)(Arrays<const float>{{from}}, Arrays<float>{{to}}); }

 private:
  int width_ = 1;
  Array<int, Space> own_from_, own_to_, send_, receive_;
  mutable Array<double, Space> message_;
  mutable Halo<Space> halo_;
};

// The same between all ranks and rank 0, which has the whole grid, for grids too small to be distributed.
template <class Space>
class BoxGather {
 public:
  BoxGather() = default;
  // Collective. `source`, `target`: boxes of the arrays from which a rank sends, and into which it receives.
  BoxGather(const Communicator& ranks, std::array<int, 3> sizes, const RankBox& own, const RankBox& source,
            const RankBox& target, PlaceInBox place = index_in);
  // whole: on rank 0; ignored on other ranks. Float and double.
  template <class T>
  void gather(const T* from, T* whole) const;
  template <class T>
  void scatter(const T* whole, T* to) const;

 private:
  bool is_root_ = false;
  RankMap own_, target_;
  Array<int, Space> from_, to_, whole_;  // indices
  mutable Array<double, Space> mine_, all_, wide_;
  mutable std::vector<double> mine_host_, all_host_, wide_host_;
};

}  // namespace weir
