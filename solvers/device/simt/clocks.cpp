#include "solvers/device/simt/clocks.hpp"

#include <algorithm>

namespace weir::simt {
namespace {

std::uint64_t key(std::uint32_t block, std::uint32_t rank) { return std::uint64_t{block} << 11 | rank; }

}  // namespace

void Knowledge::learn(std::uint32_t block, std::uint32_t rank, std::uint32_t below) {
  auto& count = known[key(block, rank)];
  count = std::max(count, below);
}

void Knowledge::join(const Knowledge& other) {
  for (const auto& [who, below] : other.known) {
    auto& count = known[who];
    count = std::max(count, below);
  }
}

bool Knowledge::covers(std::uint32_t block, std::uint32_t rank, std::uint32_t count) const {
  const auto knows = [&](std::uint64_t who) {
    const auto it = known.find(who);
    return it != known.end() && it->second > count;
  };
  return knows(key(block, rank)) || knows(key(block, whole_block));
}

}  // namespace weir::simt
