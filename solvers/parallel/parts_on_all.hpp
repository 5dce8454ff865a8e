// Small arrays that every rank holds whole, each rank having computed a part of them.
#pragma once
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

// The lists of all ranks one after the other. Collective; for set-ups.
std::vector<int> lists_of_all(const Communicator& ranks, const std::vector<int>& mine);

// The parts of an array by rank. On a device they pass through page-locked memory of the host.
template <class Space>
class PartsOnAll {
 public:
  PartsOnAll() = default;
  // begin: the first element of each rank, and the end. bytes: of an element. Throws Error(usage) from 2 GB on.
  PartsOnAll(const Communicator& ranks, const std::vector<int>& begin, int bytes);
  ~PartsOnAll();
  PartsOnAll(PartsOnAll&& o) noexcept;
  PartsOnAll& operator=(PartsOnAll&& o) noexcept;

  void complete(void* whole) const;  // `whole` has this rank's part; collective

 private:
  const Communicator* ranks_ = nullptr;
  std::vector<int> counts_, begin_;  // in bytes
  char* pinned_ = nullptr;
};

}  // namespace weir
