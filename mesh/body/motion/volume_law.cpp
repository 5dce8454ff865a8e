#include "mesh/body/motion/volume_law.hpp"

namespace weir {

ValueAndRate VolumeLaw::volume(double t) const {
  const double tau = t / period - std::floor(t / period);
  const double e_length = e_wave[1] - e_wave[0], a_length = a_wave[1] - a_wave[0];
  const double e_part = ea_ratio * e_length, share = e_part / (e_part + a_length);  // peak of a wave: 2 share / length
  ValueAndRate v{1 - ejection_fraction, 0};
  const auto add = [&](const std::array<double, 2>& wave, double part) {
    const double d = wave[1] - wave[0];
    const ValueAndRate w = flow_wave((tau - wave[0]) / d);
    v.value += part * w.value;
    v.rate += part * w.rate / (d * period);
  };
  add(e_wave, ejection_fraction * share);
  add(a_wave, ejection_fraction * (1 - share));
  add(systole, -ejection_fraction);
  return v;
}

}  // namespace weir
