// Statistics of the forces over time. Every step after [output] average_from is kept, also in checkpoints.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace weir {

class ForceStatistics {
 public:
  void add(double time, double dt, double drag, double lift, double control_drag);

  // Means are over time. strouhal: from the upward crossings of the mean lift; 0 if there are fewer than three, or
  // fewer than eight steps between them. drag_noise (with a period): spurious oscillation of the force caused by cells
  // that change state as the body moves.
  std::map<std::string, double> quantities(double length, double velocity, double period) const;
  // Phases at time 0, degrees, of the cosine with the frequency of strouhal in the lift (lift_phase), and with twice
  // that frequency in the drag (drag_phase); 0 where there is no frequency.
  std::map<std::string, double> phases() const;

  std::vector<double> state() const;  // five numbers per step
  void restore(const std::vector<double>& state);

 private:
  double agreement() const;
  double strouhal(double mean) const;
  double phase(const std::vector<double>& force, double frequency) const;
  double noise(double period) const;
  std::vector<double> time_, dt_, drag_, lift_, control_drag_;
};

}  // namespace weir
