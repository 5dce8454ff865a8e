// What becomes of the forces over time: the quantities that a case is compared with. Every step after [output]
// average_from is kept (three numbers a step), also in checkpoints.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace weir {

class ForceStatistics {
 public:
  void add(double time, double dt, double drag, double lift, double control_drag);

  // drag_mean, drag_amplitude, drag_max, drag_control_volume, lift_mean, lift_amplitude, lift_max and strouhal =
  // f length / velocity, f from the upward crossings of the mean lift (0 where there are fewer than three). Means are
  // over time. force_agreement: the root mean square of the difference between the drags of the two integrations, over
  // that of the drag. With a period: drag_noise, the largest deviation of the drag from its first 12 harmonics, over the
  // amplitude: what a body that moves through the cells of a grid makes beside the flow's own force.
  std::map<std::string, double> quantities(double length, double velocity, double period) const;

  std::vector<double> state() const;  // five numbers a step
  void restore(const std::vector<double>& state);

 private:
  double agreement() const;
  double strouhal(double mean) const;
  double noise(double period) const;
  std::vector<double> time_, dt_, drag_, lift_, control_drag_;
};

}  // namespace weir
