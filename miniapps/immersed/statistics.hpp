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

  // Means are over time; strouhal from the upward crossings of the mean lift, 0 where there are fewer than three or they are
  // fewer than eight steps apart. With a
  // period: drag_noise, what a body that moves through the cells of a grid makes beside the flow's own force.
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
