// Coordinates of the points of a grid line with constant-time look-up.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

namespace weir {

class PointLine {
 public:
  PointLine() = default;
  explicit PointLine(std::span<const double> x) : x_(x.begin(), x.end()) {
    const int n = size(), buckets = 4 * n;
    low_ = x_.front();
    scale_ = n > 1 ? buckets / (x_.back() - low_) : 0;
    bucket_.resize(static_cast<std::size_t>(buckets) + 1);
    for (int b = 0, i = 0; b <= buckets; ++b) {
      while (i < n && bucket(x_[i]) < b) ++i;
      bucket_[b] = i;
    }
  }

  int size() const { return static_cast<int>(x_.size()); }
  double operator[](int i) const { return x_[i]; }
  double front() const { return x_.front(); }
  double back() const { return x_.back(); }
  const double* data() const { return x_.data(); }

  int first_at_or_above(double x) const {
    if (!(x > low_)) return 0;
    int i = bucket_[bucket(x)];
    while (i < size() && x_[i] < x) ++i;
    return i;
  }
  int first_above(double x) const {
    int i = first_at_or_above(x);
    while (i < size() && x_[i] <= x) ++i;
    return i;
  }

 private:
  // Monotonic in x: no point of a bucket or an earlier one is above those of later buckets.
  int bucket(double x) const { return static_cast<int>(std::min((x - low_) * scale_, 4.0 * size())); }

  std::vector<double> x_;
  double low_ = 0, scale_ = 0;
  std::vector<int> bucket_;  // first point of each bucket, or of a later one
};

}  // namespace weir
