// Sums over the indices of all ranks, for sums that influence a result.
#pragma once
#include <type_traits>

#include "solvers/device/reduce.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

// The sum of f(i), i = 0 .. n - 1 on each rank; exact if the communicator asks for that.
template <class Space, class F>
double sum_over_ranks(const Communicator& ranks, std::int64_t n, const F& f) {
  if constexpr (std::is_same_v<Space, Host>)
    if (ranks.has_exact_sums()) return ranks.sum(exact_sum(n, f));
  return ranks.sum(sum<Space>(n, f));
}

// Null: one rank.
template <class Space, class F>
double sum_over_ranks(const Communicator* ranks, std::int64_t n, const F& f) {
  return ranks ? sum_over_ranks<Space>(*ranks, n, f) : sum<Space>(n, f);
}

}  // namespace weir
