#include "miniapps/study/capture/capture_watch.hpp"

#include "solvers/krylov/vector_ops.hpp"

namespace weir {

template <class Space>
void CaptureWatch<Space>::before(const Matrix<Space>&, View<const double>, View<const double> x) {
  if (x0_.size() < x.size()) x0_ = Array<double, Space>(x.size());
  assign<Space>(x, x0_.view().part(0, x.size()));
}

template <class Space>
void CaptureWatch<Space>::after(const Matrix<Space>& A, View<const double> b, View<const double> x,
                                const SolveResult& result) {
  const Array<double, Space>& x0 = x0_;
  listener_.solved(system_, A, b, x0.view().part(0, x.size()), result);
}

template class CaptureWatch<Host>;
template class CaptureWatch<Device>;

}  // namespace weir
