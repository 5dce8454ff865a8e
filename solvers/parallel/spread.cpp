#include "solvers/parallel/spread.hpp"

#include "base/at.hpp"

namespace weir {

Spread::Spread(const Communicator& ranks, std::size_t whole_size, const std::vector<int>& whole,
               const std::vector<int>& here)
    : whole_size_(whole_size) {
  std::vector<int> order(whole.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  const auto by_position = [&](int a, int b) { return whole[at(a)] < whole[at(b)]; };
  if (!std::ranges::is_sorted(order, by_position)) std::ranges::sort(order, by_position);
  for (const int i : order) {
    const std::int64_t to = whole[at(i)], from = here.empty() ? i : here[at(i)];
    if (!stretches_.empty()) {
      Stretch& last = stretches_.back();
      if (to == last.whole + last.count && from == last.here + last.count) {
        ++last.count;
        continue;
      }
    }
    stretches_.push_back({to, from, 1});
  }
  stretches_.shrink_to_fit();
  find_ends(ranks);
}

Spread::Spread(const Communicator& ranks, std::size_t whole_size, std::size_t first, std::size_t count)
    : whole_size_(whole_size) {
  if (count > 0) stretches_ = {{static_cast<std::int64_t>(first), 0, static_cast<std::int64_t>(count)}};
  find_ends(ranks);
}

void Spread::find_ends(const Communicator& ranks) {
  double mine[2] = {};
  if (!stretches_.empty()) {
    mine[0] = static_cast<double>(stretches_.front().whole);
    mine[1] = static_cast<double>(stretches_.back().whole + stretches_.back().count);
  }
  const auto count = static_cast<std::size_t>(ranks.size());
  std::vector<double> all(ranks.is_root() ? 2 * count : 0);
  ranks.gather(mine, std::vector<int>(count, 2), all);
  for (std::size_t r = 0; 2 * r < all.size(); ++r)
    ends_.emplace_back(static_cast<std::int64_t>(all[2 * r]), static_cast<std::int64_t>(all[2 * r + 1]));
}

std::vector<int> Spread::owners(std::int64_t first, std::int64_t count) const {
  std::vector<int> ranks;
  for (std::size_t r = 0; r < ends_.size(); ++r)
    if (ends_[r].first < first + count && ends_[r].second > first) ranks.push_back(static_cast<int>(r));
  return ranks;
}

std::size_t RootReads::add(const Spread& spread, std::span<const double> mine) {
  arrays_.emplace_back(&spread, mine);
  return arrays_.size() - 1;
}

namespace {
constexpr double over = -1;  // in place of the number of an array: nothing more is read
}

void RootReads::while_root(const std::function<void()>& f) const {
  if (!ranks_->is_root()) return answer();
  const double end[3] = {over, 0, 0};
  const auto tell_end = [&] {
    for (int r = 1; r < ranks_->size(); ++r) ranks_->send(end, r);
  };
  try {
    f();
  } catch (...) {
    tell_end();
    throw;
  }
  tell_end();
}

void RootReads::answer() const {
  for (;;) {
    const std::vector<double> asked = ranks_->receive(0);
    if (asked[0] == over) return;
    ranks_->send(part_of(static_cast<std::size_t>(asked[0]), static_cast<std::int64_t>(asked[1]),
                         static_cast<std::int64_t>(asked[2])),
                 0);
  }
}

// A message: the number of stretches, first and count of each, relative to the piece; then the values.
std::vector<double> RootReads::part_of(std::size_t array, std::int64_t first, std::int64_t count) const {
  const auto& [spread, mine] = arrays_[array];
  std::vector<double> part{0};
  spread->within(first, count, [&](const Spread::Stretch& s) {
    ++part[0];
    part.push_back(static_cast<double>(s.whole - first));
    part.push_back(static_cast<double>(s.count));
  });
  spread->within(first, count, [&, values = mine](const Spread::Stretch& s) {
    const auto of_stretch = values.subspan(static_cast<std::size_t>(s.here), static_cast<std::size_t>(s.count));
    part.insert(part.end(), of_stretch.begin(), of_stretch.end());
  });
  return part;
}

void RootReads::put(std::span<const double> part, std::span<double> values) {
  const auto stretches = static_cast<std::size_t>(part[0]);
  const double* from = part.data() + 1 + 2 * stretches;
  for (std::size_t s = 0; s < stretches; ++s) {
    const auto first = static_cast<std::size_t>(part[1 + 2 * s]), count = static_cast<std::size_t>(part[2 + 2 * s]);
    std::copy_n(from, count, values.data() + first);
    from += count;
  }
}

void RootReads::read(std::size_t array, std::size_t first, std::span<double> values) const {
  const double asked[3] = {static_cast<double>(array), static_cast<double>(first), static_cast<double>(values.size())};
  const auto begin = static_cast<std::int64_t>(first), count = static_cast<std::int64_t>(values.size());
  const std::vector<int> owners = arrays_[array].first->owners(begin, count);
  for (const int r : owners)
    if (r != 0) ranks_->send(asked, r);
  std::ranges::fill(values, 0.0);
  for (const int r : owners) put(r == 0 ? part_of(array, begin, count) : ranks_->receive(r), values);
}

}  // namespace weir
