// The recursion of SampleSelect (Fig. 3), the same in both spaces.
#include "solvers/matrix/algorithms/sample_select.hpp"

#include <string>

#include "base/error.hpp"
#include "base/timer.hpp"

namespace weir {
namespace {

void check(std::int64_t n, std::int64_t rank) {
  if (rank < 0 || rank >= n)
    throw Error(Exit::usage, "selection: no rank " + std::to_string(rank) + " among " + std::to_string(n) + " values");
}

}  // namespace

template <class Space>
Selection SampleSelect<Space>::exact(View<const double> values, std::int64_t rank) {
  check(values.size(), rank);
  const double* x = values.data();
  std::int64_t n = values.size(), below = 0;
  int level = 0;
  for (; n > select::smallest; ++level) {
    find_splitters(x, n, level);
    const select::Found found = count<true>(x, n, rank, false);
    if (found.equal) return {found.value, below + found.before, level + 1};
    x = extract(x, n, found, level);
    n = found.count;
    rank -= found.before;
    below += found.before;
  }
  const Selection last = sorted(x, n, rank);
  return {last.value, below + last.below, level};
}

template <class Space>
Selection SampleSelect<Space>::approximate(View<const double> values, std::int64_t rank) {
  check(values.size(), rank);
  const std::int64_t n = values.size();
  if (n <= select::smallest) return sorted(values.data(), n, rank);
  find_splitters(values.data(), n, 0);
  const select::Found found = count<false>(values.data(), n, rank, true);
  return {found.value, found.before, 1};
}

template Selection SampleSelect<Host>::exact(View<const double>, std::int64_t);
template Selection SampleSelect<Host>::approximate(View<const double>, std::int64_t);
template Selection SampleSelect<Device>::exact(View<const double>, std::int64_t);
template Selection SampleSelect<Device>::approximate(View<const double>, std::int64_t);

}  // namespace weir
