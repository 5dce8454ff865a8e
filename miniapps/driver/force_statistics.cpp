#include "miniapps/driver/force_statistics.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/matrix/block/block_small.hpp"

namespace weir {
namespace {

double mean_of(const std::vector<double>& values, const std::vector<double>& weights) {
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += weights[i] * values[i];
    total += weights[i];
  }
  return total > 0 ? sum / total : 0;
}

double half_range(const std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return 0.5 * (*high - *low);
}

double largest_size(const std::vector<double>& values) {
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v));
  return most;
}

double largest(const std::vector<double>& values) { return values.empty() ? 0 : *std::ranges::max_element(values); }

}  // namespace

void ForceStatistics::add(double time, double dt, double drag, double lift, double control_drag) {
  time_.push_back(time);
  dt_.push_back(dt);
  drag_.push_back(drag);
  lift_.push_back(lift);
  control_drag_.push_back(control_drag);
}

double ForceStatistics::agreement() const {
  double difference = 0, total = 0;
  for (std::size_t i = 0; i < drag_.size(); ++i) {
    difference += (drag_[i] - control_drag_[i]) * (drag_[i] - control_drag_[i]);
    total += drag_[i] * drag_[i];
  }
  return total > 0 ? std::sqrt(difference / total) : 0;
}

double ForceStatistics::strouhal(double mean) const {
  // A crossing counts once the lift has been well below the mean: small wiggles about it do not.
  const double deep = 0.3 * half_range(lift_);
  std::vector<double> at;
  bool was_low = false;
  for (std::size_t i = 1; i < lift_.size(); ++i) {
    const double a = lift_[i - 1] - mean, b = lift_[i] - mean;
    was_low = was_low || a < -deep;
    if (!was_low || a >= 0 || b < 0) continue;
    at.push_back(time_[i] - (time_[i] - time_[i - 1]) * b / (b - a));
    was_low = false;
  }
  // Changes from step to step and the rounding of a steady force are not vortex shedding.
  constexpr double fewest_steps = 8;
  const double largest_force = std::max(largest_size(lift_), largest_size(drag_));
  if (at.size() < 3 || half_range(lift_) < 1e-6 * largest_force) return 0;
  const double period = (at.back() - at.front()) / static_cast<double>(at.size() - 1);
  const double step = (time_.back() - time_.front()) / static_cast<double>(time_.size() - 1);
  return period < fewest_steps * step ? 0 : 1 / period;
}

// Least squares of 1, cos k w t, sin k w t for k = 1 .. 12.
double ForceStatistics::noise(double period) const {
  constexpr std::size_t harmonics = 12, n = 2 * harmonics + 1;
  if (drag_.size() < 4 * n) return 0;
  const auto basis = [&](double t, std::vector<double>& f) {
    f[0] = 1;
    for (std::size_t k = 1; k <= harmonics; ++k) {
      const double phase = 2 * M_PI * static_cast<double>(k) * t / period;
      f[2 * k - 1] = std::cos(phase);
      f[2 * k] = std::sin(phase);
    }
  };
  std::vector<double> a(n * n, 0.0), b(n, 0.0), f(n);
  for (std::size_t i = 0; i < drag_.size(); ++i) {
    basis(time_[i], f);
    for (std::size_t r = 0; r < n; ++r) {
      b[r] += f[r] * drag_[i];
      for (std::size_t q = 0; q < n; ++q) a[r * n + q] += f[r] * f[q];
    }
  }
  if (!block_small::invert(static_cast<int>(n), a.data(), true)) return 0;
  std::vector<double> x(n, 0.0);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t q = 0; q < n; ++q) x[r] += a[r * n + q] * b[q];
  double worst = 0;
  for (std::size_t i = 0; i < drag_.size(); ++i) {
    basis(time_[i], f);
    double fit = 0;
    for (std::size_t r = 0; r < n; ++r) fit += f[r] * x[r];
    worst = std::max(worst, std::abs(drag_[i] - fit));
  }
  const double amplitude = half_range(drag_);
  return amplitude > 0 ? worst / amplitude : 0;
}

std::map<std::string, double> ForceStatistics::quantities(double length, double velocity, double period) const {
  std::map<std::string, double> q;
  q["drag_mean"] = mean_of(drag_, dt_);
  q["drag_amplitude"] = half_range(drag_);
  q["drag_max"] = largest(drag_);
  q["drag_control_volume"] = mean_of(control_drag_, dt_);
  q["force_agreement"] = agreement();
  q["lift_mean"] = mean_of(lift_, dt_);
  q["lift_amplitude"] = half_range(lift_);
  q["lift_max"] = largest(lift_);
  q["strouhal"] = strouhal(q["lift_mean"]) * length / velocity;
  if (period > 0) q["drag_noise"] = noise(period);
  return q;
}

double ForceStatistics::phase(const std::vector<double>& force, double frequency) const {
  if (frequency == 0) return 0;
  const double mean = mean_of(force, dt_);
  double cosine = 0, sine = 0;
  for (std::size_t i = 0; i < force.size(); ++i) {
    const double angle = 2 * M_PI * frequency * time_[i];
    cosine += dt_[i] * (force[i] - mean) * std::cos(angle);
    sine += dt_[i] * (force[i] - mean) * std::sin(angle);
  }
  return std::atan2(-sine, cosine) * 180 / M_PI;
}

std::map<std::string, double> ForceStatistics::phases() const {
  const double frequency = strouhal(mean_of(lift_, dt_));
  return {{"lift_phase", phase(lift_, frequency)}, {"drag_phase", phase(drag_, 2 * frequency)}};
}

std::vector<double> ForceStatistics::state() const {
  std::vector<double> all;
  for (std::size_t i = 0; i < time_.size(); ++i)
    for (const double x : {time_[i], dt_[i], drag_[i], lift_[i], control_drag_[i]}) all.push_back(x);
  return all;
}

void ForceStatistics::restore(const std::vector<double>& state) {
  *this = {};
  for (std::size_t i = 0; i + 4 < state.size(); i += 5)
    add(state[i], state[i + 1], state[i + 2], state[i + 3], state[i + 4]);
}

}  // namespace weir
