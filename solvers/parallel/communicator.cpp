#include "solvers/parallel/communicator.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "base/timer.hpp"

namespace weir {

const char* to_string(Reduction reduction) {
  static constexpr std::array<const char*, 4> names = {"gather", "tree", "allreduce", "nonblocking"};
  return names[static_cast<int>(reduction)];
}
const char* to_string(HaloStrategy strategy) {
  static constexpr std::array<const char*, 4> names = {"naive", "pairs", "persistent", "neighbourhood"};
  return names[static_cast<int>(strategy)];
}

namespace detail {

void add_slots(std::span<double> slots, int ranks) {
  const std::size_t n = slots.size() / static_cast<std::size_t>(ranks), P = static_cast<std::size_t>(ranks);
  for (std::size_t step = 1; step < P; step *= 2)
    for (std::size_t r = 0; r + step < P; r += 2 * step)
      for (std::size_t i = 0; i < n; ++i) slots[r * n + i] += slots[(r + step) * n + i];
}

}  // namespace detail

void Communicator::sum(std::span<double> values) const {
  if (size() == 1) return;
  ScopedTimer timer(traffic_.seconds);
  sum_over_ranks(values, reduction_);
  traffic_.bytes += static_cast<std::int64_t>(values.size_bytes());
  ++traffic_.calls;
}
double Communicator::sum(double value) const {
  sum(std::span<double>(&value, 1));
  return value;
}
Pair Communicator::sum(Pair pair) const {
  std::array<double, 2> both = {pair.a, pair.b};
  sum(std::span<double>(both));
  return {both[0], both[1]};
}
void Communicator::sum(std::span<ExactSum> sums) const {
  if (size() == 1) return;
  ScopedTimer timer(traffic_.seconds);
  static_assert(std::is_standard_layout_v<ExactSum> && sizeof(ExactSum) % sizeof(std::int64_t) == 0);
  const std::span<std::int64_t> first = sums.front().numbers();
  add_over_ranks({first.data(), first.size() * sums.size()});
  traffic_.bytes += static_cast<std::int64_t>(sums.size_bytes());
  ++traffic_.calls;
}
double Communicator::sum(ExactSum share) const {
  sum(std::span(&share, 1));
  return share.rounded();
}
double Communicator::max(double value) const {
  if (size() == 1) return value;
  ScopedTimer timer(traffic_.seconds);
  ++traffic_.calls;
  return max_over_ranks(value);
}

void Communicator::start_sum(std::span<const double> values) const {
  if (size() == 1) {
    pending_.assign(values.begin(), values.end());
    return;
  }
  ScopedTimer timer(traffic_.seconds);
  start_slots(values);
  traffic_.bytes += static_cast<std::int64_t>(values.size_bytes());
  ++traffic_.calls;
}
void Communicator::finish_sum(std::span<double> values) const {
  if (size() == 1) {
    std::copy(pending_.begin(), pending_.end(), values.begin());
    return;
  }
  ScopedTimer timer(traffic_.seconds);
  finish_slots(values);
}

void Communicator::gather(std::span<const double> mine, std::span<const int>, std::span<double> all) const {
  std::copy(mine.begin(), mine.end(), all.begin());
}
void Communicator::scatter(std::span<const double> all, std::span<const int>, std::span<double> mine) const {
  std::copy(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(mine.size()), mine.begin());
}

std::unique_ptr<HaloTransport> Communicator::transport(HaloStrategy, const HaloLinks& links, const double*,
                                                       double*) const {
  class Nothing : public HaloTransport {
    void start() override {}
    void finish() override {}
  };
  if (!links.neighbour.empty()) throw std::logic_error("a single rank has no neighbours");
  return std::make_unique<Nothing>();
}

Communicator::Awareness Communicator::probe_device_buffer(double*) const { return {false, "one rank: no messages"}; }

void Communicator::abort(int exit_code, const std::string& message, const std::function<void()>&) const {
  std::fprintf(stderr, "weir: %s\n", message.c_str());
  std::exit(exit_code);
}

}  // namespace weir
