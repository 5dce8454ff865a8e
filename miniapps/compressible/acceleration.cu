#include "miniapps/compressible/acceleration.hpp"

#include <cmath>

#include "solvers/krylov/vector_ops.hpp"

namespace weir {

template <class Space>
StepAcceleration<Space>::StepAcceleration(std::int64_t unknowns, int pairs)
    : most_(pairs),
      g_(static_cast<std::size_t>(pairs) + 1),
      h_(static_cast<std::size_t>(pairs) + 1),
      left_(static_cast<std::size_t>(pairs) + 1) {
  if (most_ == 0) return;
  S_.fit(unknowns, most_);
  Y_.fit(unknowns, most_);
}

template <class Space>
void StepAcceleration<Space>::reduce(View<double> minus_R) {
  if (count_ == 0) return;
  Y_.project(minus_R, count_, g_.data());
  Y_.subtract(g_.data(), count_, minus_R, left_.data());
}

template <class Space>
void StepAcceleration<Space>::complete(View<double> d) {
  if (count_ > 0) S_.combine(g_.data(), count_, d);
}

template <class Space>
void StepAcceleration<Space>::learn(double taken, View<double> d, View<double> minus_R,
                                    View<const double> minus_R_after) {
  if (most_ == 0) return;
  scaled<Space>(taken, d, d);
  axpy<Space>(-1, minus_R_after, minus_R);  // y = R_after - R
  const double whole = std::sqrt(dot<Space>(minus_R, minus_R));
  const int place = next_;
  double length2 = whole * whole;
  for (int pass = 0; pass < 2 && count_ > 0; ++pass) {  // the second one for orthogonality to round-off
    if (pass == 0)
      Y_.project(minus_R, count_, h_.data());
    else
      std::swap(h_, left_);
    if (place < count_) h_[static_cast<std::size_t>(place)] = 0;  // the oldest pair makes room
    length2 = Y_.subtract(h_.data(), count_, minus_R, left_.data());
    for (int j = 0; j < count_; ++j) h_[static_cast<std::size_t>(j)] *= -1;
    S_.combine(h_.data(), count_, d);
  }
  const double length = std::sqrt(length2);
  if (!(length > 1e-10 * whole)) return;  // nothing new in it
  scaled<Space>(1 / length, minus_R, Y_[place]);
  scaled<Space>(1 / length, d, S_[place]);
  next_ = (place + 1) % most_;
  if (count_ < most_) ++count_;
}

template class StepAcceleration<Host>;
template class StepAcceleration<Device>;

}  // namespace weir
