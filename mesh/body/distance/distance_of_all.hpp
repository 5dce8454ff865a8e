// Signed distance to several bodies: the distance to the nearest body at each point; a point is solid if it is in any
// body. With one body it is the BodyDistance of that body.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "mesh/body/bodies.hpp"
#include "mesh/body/distance/distance.hpp"

namespace weir {

// Smallest gap between two bodies, computed at the points of the grid; negative if they overlap.
struct Approach {
  int first = -1, second = -1;  // indices of the bodies; -1: no two bodies are near
  double gap = 0;
};

class DistanceOfAll {
 public:
  using NearPoint = BodyDistance::NearPoint;
  DistanceOfAll(std::span<const double> x, std::span<const double> y, std::span<const double> z, BandOptions options)
      : x_(x.begin(), x.end()), y_(y.begin(), y.end()), z_(z.begin(), z.end()), options_(options) {
    of_.push_back(std::make_unique<BodyDistance>(x_, y_, z_, options_));
  }

  // bands: width for each body (BodyDistance::use_band); empty: computed from the points.
  void update(const Bodies& bodies, std::span<const double> bands = {});

  // Like those of BodyDistance; Foot::body is the index of the body.
  std::span<const NearPoint> near() const {
    return of_.size() == 1 ? of_[0]->near() : std::span<const NearPoint>(near_);
  }
  std::span<const std::int32_t> code() const {
    return of_.size() == 1 ? of_[0]->code() : std::span<const std::int32_t>(code_);
  }
  // Index of the body of a point in the band or in the solid; 0 elsewhere.
  int body_at(std::int64_t p) const;
  int count(int d) const { return of_[0]->count(d); }
  void fill(std::span<double> distance) const;

  const Approach& nearest_bodies() const { return nearest_; }

 private:
  void merge_points(std::size_t first, std::size_t last, std::vector<NearPoint>& found, Approach& nearest);

  std::vector<double> x_, y_, z_;
  BandOptions options_;
  std::vector<std::unique_ptr<BodyDistance>> of_;
  std::vector<std::int32_t> code_;  // used with several bodies
  std::vector<NearPoint> near_;
  Approach nearest_;
};

}  // namespace weir
