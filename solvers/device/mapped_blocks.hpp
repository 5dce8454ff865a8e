// Memory of large Host arrays: whole huge pages straight from the system, and freed ones kept for the next array. On a
// virtual machine the first touch of fresh pages can cost as much as a solve (docs/results/liu_2013.md).
//
// Not malloc: after a first release it gives arrays of up to 32 MB out of its heap, and vector updates in those took up
// to twice as long, which small pages would explain.
#pragma once
#include <cstddef>
#include <map>
#include <mutex>

namespace weir::detail {

// Any thread may call. A block is a whole number of granules, and lies at a multiple of them.
class MappedBlocks {
 public:
  static constexpr std::size_t granule = std::size_t{2} << 20;  // of x86's huge pages

  // most_kept: bytes kept for the next arrays; released blocks beyond that are returned to the system.
  explicit MappedBlocks(std::size_t most_kept) : most_kept_(most_kept) {}
  ~MappedBlocks() { trim(); }
  MappedBlocks(const MappedBlocks&) = delete;
  MappedBlocks& operator=(const MappedBlocks&) = delete;

  struct Block {
    char* data = nullptr;   // null: the system has none left
    bool is_fresh = false;  // zeros, not touched yet; else whatever stood there before
  };
  Block take(std::size_t bytes);
  void put_back(char* data, std::size_t bytes) noexcept;  // bytes: as they were taken
  void trim() noexcept;                                   // all that is kept goes to the system
  std::size_t kept() const;                               // bytes

 private:
  char* take_kept(std::size_t bytes);
  void trim_locked() noexcept;

  mutable std::mutex mutex_;
  std::size_t most_kept_, kept_ = 0;
  std::map<char*, std::size_t> free_;  // neighbours are merged
};

}  // namespace weir::detail
