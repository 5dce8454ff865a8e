#include "solvers/device/triad.hpp"

#include <algorithm>

#include "solvers/device/vector_ops.hpp"

namespace weir {
namespace {

template <class Space>
void triad(View<double> a, View<const double> b, View<const double> c) {
  for_each<Space>(a.size(), [=] WEIR_HD(int i) { a[i] = b[i] + 3.0 * c[i]; });
}

}  // namespace

template <class Space>
Triad<Space>::Triad(std::int64_t bytes) : a_(std::max<std::int64_t>(bytes / 24, 64)), b_(a_.size()), c_(a_.size()) {
  fill<Space>(0, a_.view());
  fill<Space>(1, b_.view());
  fill<Space>(2, c_.view());
}
template <class Space>
void Triad<Space>::run() {
  triad<Space>(a_, b_, c_);
}

template class Triad<Host>;
template class Triad<Device>;

}  // namespace weir
