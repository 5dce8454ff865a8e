// Lift and drag of the last steps: second stopping criterion of a steady run. Converged when both vary by less than a
// tolerance over a window of steps.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace weir {

class ForceWindow {
 public:
  ForceWindow(double tolerance, int steps) : tolerance_(tolerance), steps_(static_cast<std::size_t>(steps)) {
    values_.reserve(2 * steps_);
  }

  bool is_on() const { return tolerance_ > 0; }
  void clear() { values_.clear(); }
  void add(double lift, double drag) {
    if (!is_on()) return;
    if (values_.size() == 2 * steps_) values_.erase(values_.begin(), values_.begin() + 2);
    values_.push_back(lift);
    values_.push_back(drag);
  }
  double span() const { return std::max(span_of(0), span_of(1)); }  // the larger of both
  bool is_settled() const { return is_on() && values_.size() == 2 * steps_ && span() <= tolerance_; }
  double tolerance() const { return tolerance_; }
  std::size_t steps() const { return steps_; }

  // For checkpoints: lift, drag, lift, drag, ... from the oldest step on.
  const std::vector<double>& values() const { return values_; }
  void resume(const std::vector<double>& values) {
    const std::size_t kept = std::min(values.size(), 2 * steps_);
    values_.assign(values.end() - static_cast<std::ptrdiff_t>(kept), values.end());
  }

 private:
  double span_of(std::size_t which) const {
    if (values_.empty()) return 0;
    double low = values_[which], high = low;
    for (std::size_t i = which; i < values_.size(); i += 2) {
      low = std::min(low, values_[i]);
      high = std::max(high, values_[i]);
    }
    return high - low;
  }

  double tolerance_;
  std::size_t steps_;
  std::vector<double> values_;
};

}  // namespace weir
