#include "miniapps/study/recorder/early_warning.hpp"

#include <utility>

namespace weir {

bool EarlyWarning::look(double probe) {
  constexpr double grows = 2, bad = 0.8, hardly_helps = 0.9, nearly_all = 0.8;
  const double before = std::exchange(last_, probe);
  if (!(probe <= grows)) return true;  // not a number: too
  if (before > 0 && probe > bad && probe > 2 * before) return true;
  return probe > hardly_helps && most_ > 0 && last_iterations_ > nearly_all * most_;
}

}  // namespace weir
