// The growth rate of a disturbance of a parallel flow along x: of sqrt(mean v^2), where v is zero in the undisturbed
// flow. Linear stability theory predicts it for small disturbances (Michalke, J. Fluid Mech. 19 (1964) 543).
#pragma once
#include <cmath>
#include <optional>

#include "base/table.hpp"
#include "postproc/run/checkpoint.hpp"

namespace weir {

class Growth {
 public:
  explicit Growth(std::optional<double> from) : from_(from) {}

  // [output] growth_from, in units of time; none: the growth rate is not measured.
  static std::optional<double> read(const Table& config) {
    const Table output = config.table("output").described_by(keys);
    if (!output.has("growth_from")) return {};
    return output.get<double>("growth_from");
  }
  static Options options() { return keys; }

  bool is_asked() const { return from_.has_value(); }
  bool is_due(double time) const { return is_asked() && time >= *from_; }
  void add(double time, double energy) {  // mean v^2 / 2
    if (count_++ == 0) {
      first_time_ = time;
      first_energy_ = energy;
    }
    last_time_ = time;
    last_energy_ = energy;
  }
  // 0 before there are two values.
  double rate() const {
    return last_time_ > first_time_ ? 0.5 * std::log(last_energy_ / first_energy_) / (last_time_ - first_time_) : 0;
  }

  void save(CheckpointState& state) const {
    if (is_asked())
      state.keep("growth", {static_cast<double>(count_), first_time_, first_energy_, last_time_, last_energy_});
  }
  void load(const Checkpoint& from) {
    if (!is_asked() || !from.find("growth")) return;
    const auto& v = from.doubles("growth", 5);
    count_ = static_cast<int>(v[0]);
    first_time_ = v[1];
    first_energy_ = v[2];
    last_time_ = v[3];
    last_energy_ = v[4];
  }

 private:
  static constexpr Option keys[] = {{"growth_from", Option::number, "depends: growth_rate is not measured",
                                     "start time of the measurement of growth_rate, the growth rate of sqrt(mean v^2) "
                                     "of a disturbance in a flow along x",
                                     "[0, inf)", "time"}};
  std::optional<double> from_;
  int count_ = 0;
  double first_time_ = 0, first_energy_ = 1, last_time_ = 0, last_energy_ = 1;
};

}  // namespace weir
