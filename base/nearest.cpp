#include "base/nearest.hpp"

#include <algorithm>

namespace weir {

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t n = b.size() + 1;
  std::vector<int> before(n), last(n), row(n);  // rows i-2, i-1, i of the edit-distance table
  for (std::size_t j = 0; j < n; ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < n; ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  int least = std::max(2, static_cast<int>(word.size()) / 3) + 1;
  std::string best;
  for (const auto& k : known) {
    const int d = edit_distance(word, k);
    if (d < least && d < static_cast<int>(std::max(k.size(), word.size()))) {
      least = d;
      best = k;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  if (const std::string near = nearest(word, known); !near.empty()) return "; did you mean '" + near + "'?";
  std::string list;
  for (const auto& k : known) list += (list.empty() ? "; known here: " : ", ") + k;
  return list;
}

}  // namespace weir
