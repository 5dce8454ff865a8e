// The signed distance to several bodies: at each point that of the nearest one, and solid where any of them is. With
// one body it is that body's BodyDistance itself.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "mesh/body/bodies.hpp"
#include "mesh/body/distance/distance.hpp"

namespace weir {

// Where two bodies are nearest, as the points of the grid see it: the width of the gap, negative where they overlap.
struct Approach {
  int first = -1, second = -1;  // bodies; -1: none came near
  double gap = 0;
};

class DistanceOfAll {
 public:
  using NearPoint = BodyDistance::NearPoint;
  DistanceOfAll(std::span<const double> x, std::span<const double> y, std::span<const double> z, BandOptions options)
      : x_(x.begin(), x.end()), y_(y.begin(), y.end()), z_(z.begin(), z.end()), options_(options) {
    of_.push_back(std::make_unique<BodyDistance>(x_, y_, z_, options_));
  }

  // bands: the width for each body (BodyDistance::use_band); empty: by the points.
  void update(const Bodies& bodies, std::span<const double> bands = {});

  // As those of BodyDistance; the feet know their body.
  std::span<const NearPoint> near() const {
    return of_.size() == 1 ? of_[0]->near() : std::span<const NearPoint>(near_);
  }
  std::span<const std::int32_t> code() const {
    return of_.size() == 1 ? of_[0]->code() : std::span<const std::int32_t>(code_);
  }
  // The body of a point in the band or in the solid; the first one's elsewhere.
  int body_at(std::int64_t p) const;
  int count(int d) const { return of_[0]->count(d); }
  void fill(std::span<double> distance) const;

  const Approach& nearest_bodies() const { return nearest_; }

 private:
  void merge_points(std::size_t first, std::size_t last, std::vector<NearPoint>& found, Approach& nearest);

  std::vector<double> x_, y_, z_;
  BandOptions options_;
  std::vector<std::unique_ptr<BodyDistance>> of_;
  std::vector<std::int32_t> code_;  // of several
  std::vector<NearPoint> near_;
  Approach nearest_;
};

}  // namespace weir
