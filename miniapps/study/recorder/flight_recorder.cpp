#include "miniapps/study/recorder/flight_recorder.hpp"

#include <array>
#include <limits>

#include "solvers/parallel/broadcast_text.hpp"

namespace weir {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

double least(const Communicator& ranks, double value) { return -ranks.max(-value); }

}  // namespace

void over_ranks(const Communicator& ranks, std::span<ValueRange> ranges) {
  if (ranks.size() == 1) return;
  const std::size_t n = ranges.size();
  std::vector<double> mine, all(ranks.is_root() ? 3 * n * static_cast<std::size_t>(ranks.size()) : 0);
  for (const ValueRange& r : ranges) mine.insert(mine.end(), {r.least, r.most, r.all_finite ? 1.0 : 0.0});
  const std::vector<int> counts(static_cast<std::size_t>(ranks.size()), static_cast<int>(3 * n));
  ranks.gather(mine, counts, all);
  for (std::size_t i = 0; i < all.size(); i += 3) {
    double* together = mine.data() + i % (3 * n);
    together[0] = std::min(together[0], all[i]);
    together[1] = std::max(together[1], all[i + 1]);
    together[2] = std::min(together[2], all[i + 2]);
  }
  ranks.broadcast(mine.data(), static_cast<std::int64_t>(mine.size() * sizeof(double)), 0);
  for (std::size_t v = 0; v < n; ++v) ranges[v] = {mine[3 * v], mine[3 * v + 1], mine[3 * v + 2] > 0};
}

void first_of_ranks(const Communicator& ranks, const std::vector<std::string>& variables, std::int64_t cells,
                    std::optional<BadValue>& bad) {
  if (ranks.size() == 1) return;
  double when = never;  // step and variable as one number
  if (bad) {
    const auto variable = std::ranges::find(variables, bad->variable) - variables.begin();
    when = static_cast<double>(bad->step * static_cast<std::int64_t>(most_watched) + variable);
  }
  const double first = least(ranks, when);
  if (first == never) return;
  const bool is_mine = when == first;
  const int rank = static_cast<int>(least(ranks, is_mine ? ranks.rank() : ranks.size()));
  std::array<double, 2> counts = {is_mine ? static_cast<double>(bad->count) : 0, static_cast<double>(cells)};
  ranks.sum(counts);
  if (!bad) bad.emplace();
  broadcast_text(ranks, bad->variable, rank);
  broadcast_text(ranks, bad->place, rank);
  ranks.broadcast(&bad->value, sizeof bad->value, rank);
  ranks.broadcast(&bad->step, sizeof bad->step, rank);
  bad->place += " (rank " + std::to_string(rank) + ")";
  bad->count = static_cast<std::int64_t>(counts[0]);
  bad->cells = static_cast<std::int64_t>(counts[1]);
}

Options recorder_options() {
  static constexpr Option keys[] = {
      {"steps", Option::integer, "32", "number of last steps kept for the failure diagnosis; 0: off", "[0, 100000]",
       "steps"},
      {"every", Option::integer, "1", "number of steps between two records of the ranges of the variables", "[1, inf)",
       "steps"}};
  return keys;
}

}  // namespace weir
