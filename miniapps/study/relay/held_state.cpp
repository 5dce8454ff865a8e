#include "miniapps/study/relay/held_state.hpp"

#include <algorithm>

namespace weir {
namespace {

// A message has no more than 2^31 bytes.
void share(const Communicator& ranks, std::vector<double>& values) {
  constexpr std::int64_t most = std::int64_t{1} << 27;
  auto size = static_cast<std::int64_t>(values.size());
  ranks.broadcast(&size, sizeof size, 0);
  values.resize(static_cast<std::size_t>(size));
  for (std::int64_t at = 0; at < size; at += most)
    ranks.broadcast(values.data() + at, std::min(most, size - at) * static_cast<std::int64_t>(sizeof(double)), 0);
}

}  // namespace

Checkpoint held(const Communicator& ranks, const CheckpointState& state) {
  Checkpoint c;
  c.path = "the state of a branch";
  c.header.step = state.step;
  c.header.time = state.time;
  for (const auto& [name, values] : state.doubles) {
    std::vector<double> all(values.begin(), values.end());
    if (ranks.size() > 1) share(ranks, all);
    c.arrays.emplace_back(name, std::move(all));
  }
  for (const auto& [name, value] : state.scalars) c.arrays.emplace_back(name, std::vector<double>{value});
  return c;
}

std::int64_t bytes_of(const Checkpoint& state) {
  std::size_t values = 0;
  for (const auto& [name, array] : state.arrays) values += array.size();
  return static_cast<std::int64_t>(values * sizeof(double));
}

}  // namespace weir
