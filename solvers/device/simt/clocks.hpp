// Synchronisation of threads with each other, for the race build. Each thread counts its synchronisations; an access
// remembers the count, and it happens before whatever knows a later count. A barrier of the block makes one number
// (`base`) known to all its threads, a warp collective exchanges the counts of its lanes, acquire takes over all that
// the release knew. One launch (or one stretch between grid barriers) is an epoch: what another epoch did is always
// known.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace weir::simt {

// Knowledge about threads of any block: the count below which all actions of a thread (or of a block) are known.
class Knowledge {
 public:
  static constexpr std::uint32_t whole_block = 0x7ff;  // as a rank
  void join(const Knowledge& other);
  void learn(std::uint32_t block, std::uint32_t rank, std::uint32_t below);
  bool covers(std::uint32_t block, std::uint32_t rank, std::uint32_t count) const;
  bool empty() const { return !known_; }

 private:
  // By thread, sorted. Shared: after a collective all lanes of a warp know the same, and most kernels have many
  // collectives.
  using Counts = std::vector<std::pair<std::uint64_t, std::uint32_t>>;
  std::shared_ptr<Counts> known_;
};

struct ThreadClock {
  std::uint32_t now = 1;
  std::uint32_t lanes[32] = {};  // of the own warp
};

struct BlockClock {
  std::uint32_t base = 1;
  Knowledge acquired;                                          // before the last block barrier
  std::vector<std::pair<std::uint32_t, Knowledge>> by_thread;  // since then, by rank
};

}  // namespace weir::simt
