// What a run has saved because another solver than the default leads, as far as races show.
#pragma once
#include <algorithm>
#include <cmath>

#include "miniapps/study/select/race_scores.hpp"

namespace weir {

struct Savings {
  double seconds = 0;
  double gain = 1;  // the default's cost over the in-loop solver's

  // The default's cost against the new in-loop solver's; where it failed or was cut off in the last races: its limit.
  void solver_changed(const Duel& d, double limit) { gain = d.races > 0 && std::isfinite(d.ratio) ? d.ratio : limit; }
  // After a race; a default that was cut off costs at least the limit.
  void learn(double default_cost, const Duel& d, double limit) {
    if (std::isinf(default_cost))
      gain = std::max(gain, limit);
    else if (d.races > 0)
      gain = d.ratio;
  }
  void add(double led_seconds) { seconds += led_seconds * (gain - 1); }
};

}  // namespace weir
