// The state of [select] in a checkpoint, next to its races and its bandit.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "miniapps/study/select/race_pace.hpp"
#include "miniapps/study/select/race_scores.hpp"

namespace weir {

struct SavedSelect {
  int current, incumbent;  // numbers of solvers
  Savings savings;
  std::vector<double> pace;

  static constexpr std::size_t size = 4 + RacePace::state_size;
  std::vector<double> values() const {
    std::vector<double> all{static_cast<double>(current), savings.seconds, savings.gain,
                            static_cast<double>(incumbent)};
    all.insert(all.end(), pace.begin(), pace.end());
    return all;
  }
  // Empty if `saved` is null, or the state of other solvers.
  static std::optional<SavedSelect> of(const std::vector<double>* saved, std::size_t solvers) {
    if (!saved || saved->size() != size) return {};
    const std::vector<double>& v = *saved;
    for (const double number : {v[0], v[3]})
      if (!(number >= 0 && number < static_cast<double>(solvers))) return {};
    return SavedSelect{static_cast<int>(v[0]), static_cast<int>(v[3]), {v[1], v[2]}, {v.begin() + 4, v.end()}};
  }
};

}  // namespace weir
