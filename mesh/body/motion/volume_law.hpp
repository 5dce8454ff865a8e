// The volume of a left ventricle through the beat: it fills by the E wave (early) and the A wave (atrial) and empties by
// systole, each a smooth pulse (flow_wave of physics/body_motion.hpp):
//
//   V(t) / V_end_diastolic = 1 - f + f (e I((t - t_E) / d_E) + (1 - e) I((t - t_A) / d_A) - I((t - t_S) / d_S)),
//
// f: ejection fraction, e: the share of the E wave, from the ratio of the peak rates. t = 0 is the end of systole.
#pragma once
#include <array>

#include "physics/body_motion.hpp"

namespace weir {

struct VolumeLaw {
  double period = 1;
  double ejection_fraction = 0.6;
  double ea_ratio = 1.2;  // peak rate of the E wave over that of the A wave
  // Begin and end of each wave, in periods; they follow each other.
  std::array<double, 2> e_wave{0, 0.33}, a_wave{0.42, 0.6}, systole{0.64, 1};

  // Of the volume at the end of diastole.
  ValueAndRate volume(double t) const;
};

}  // namespace weir
