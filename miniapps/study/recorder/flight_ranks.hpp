// What the ranks of a run have seen, brought together for the failure diagnostics. All ranks call; all get the same.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "miniapps/study/recorder/flight_verdict.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

// The least and the largest of all ranks, in place, in one exchange.
void over_ranks(const Communicator& ranks, std::span<ValueRange> ranges);

// The one that was seen first: in the earliest step, of those in the first of `variables`, of those on the lowest rank, whose
// number its place then tells. Its count is that of all ranks. cells: of this rank.
void first_of_ranks(const Communicator& ranks, const std::vector<std::string>& variables, std::int64_t cells,
                    std::optional<BadValue>& bad);

}  // namespace weir
