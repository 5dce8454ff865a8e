#include "miniapps/study/select/trial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace weir {
namespace {

constexpr int settling = 3;  // intervals at the start that do not count (set-ups, cold caches)
constexpr int early = 6;
constexpr double growing = 1.1, settled = 1.03;  // of iterations

}  // namespace

void Trial::begin(int name, int incumbent, double before) {
  name_ = name;
  incumbent_ = incumbent;
  before_ = before;
  phase_ = Phase::runs;
  settling_ = settling;
  wanted_ = intervals;
  extra_ = 0;
  for (std::vector<double>* list : {&seconds_, &iterations_}) {
    list->clear();
    list->reserve(most_intervals);
  }
}

Trial::Next Trial::add(double seconds, std::int64_t steps, std::int64_t iterations) {
  const auto n = static_cast<double>(steps);
  if (phase_ == Phase::runs || settling_ > 0) extra_ += seconds - n * before_;
  if (settling_ > 0) {
    --settling_;
    return Next::go_on;
  }
  seconds_.push_back(seconds / n);
  iterations_.push_back(static_cast<double>(iterations) / n);
  if (phase_ == Phase::runs) return judge();
  if (seconds_.size() < intervals_after) return Next::go_on;
  incumbent_cost_ = std::sqrt(before_ * median(0));
  phase_ = Phase::none;
  return Next::over;
}

Trial::Next Trial::judge() {
  const auto n = static_cast<int>(seconds_.size());
  if (n != early && n != wanted_) return Next::go_on;
  during_ = median(n == early ? 0 : seconds_.size() / 2);
  incumbent_cost_ = before_;
  const double log_ratio = std::log(during_ / before_);
  bool is_over = log_ratio > slower;
  if (!is_over) {
    if (n == early) return Next::go_on;
    if (grows()) {
      if (wanted_ < most_intervals) {
        wanted_ *= 2;
        return Next::go_on;
      }
      during_ = std::numeric_limits<double>::infinity();
      is_over = true;
    }
    is_over |= log_ratio < -faster;
  }
  phase_ = is_over ? Phase::none : Phase::after;
  settling_ = settling;
  seconds_.clear();
  return is_over ? Next::over : Next::revert;
}

// From the first half to the second, and within the second half.
bool Trial::grows() const {
  const std::size_t n = iterations_.size();
  const auto sum = [&](std::size_t from, std::size_t to) {
    return std::accumulate(iterations_.begin() + static_cast<std::ptrdiff_t>(from),
                           iterations_.begin() + static_cast<std::ptrdiff_t>(to), 0.0);
  };
  return sum(n / 2, n) > growing * sum(0, n / 2) && sum(3 * n / 4, n) > settled * sum(n / 2, 3 * n / 4);
}

double Trial::take_extra() {
  const double extra = std::max(0.0, extra_);
  extra_ = 0;
  return extra;
}

double Trial::median(std::size_t from) const {
  std::vector<double> sorted(seconds_.begin() + static_cast<std::ptrdiff_t>(from), seconds_.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return ranks_->max(*middle);
}

}  // namespace weir
