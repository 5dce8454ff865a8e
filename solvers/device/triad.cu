#include "solvers/device/triad.hpp"

#include <algorithm>

#include "solvers/device/array.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/median_seconds.hpp"

namespace weir {
namespace {

template <class Space>
void fill(View<double> a, double value) {
  for_each<Space>(static_cast<int>(a.size()), [=] WEIR_HD(int i) { a[i] = value; });
}

template <class Space>
void triad(View<double> a, View<const double> b, View<const double> c) {
  for_each<Space>(static_cast<int>(a.size()), [=] WEIR_HD(int i) { a[i] = b[i] + 3.0 * c[i]; });
}

}  // namespace

template <class Space>
double triad_bytes_per_second(std::int64_t bytes, int runs) {
  const std::int64_t n = std::max<std::int64_t>(bytes / 24, 64);
  Array<double, Space> a(n), b(n), c(n);
  fill<Space>(a, 0);
  fill<Space>(b, 1);
  fill<Space>(c, 2);
  return 24 * static_cast<double>(n) / median_seconds([&] { triad<Space>(a, b, c); }, runs);
}

template double triad_bytes_per_second<Host>(std::int64_t, int);
template double triad_bytes_per_second<Device>(std::int64_t, int);

}  // namespace weir
