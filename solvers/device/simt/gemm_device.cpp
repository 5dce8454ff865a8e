// The emulated device's memory is the host's, and so is its product.
#include "solvers/device/gemm.hpp"
#include "solvers/device/simt/backend/runtime.hpp"
#include "solvers/device/simt/checker.hpp"

namespace weir {

void gemm_device(const GemmBatch& g) {
  const simt::DeviceCode scope;
  for (int b = 0; b < g.count; ++b) {
    double* C = g.C.data + b * g.step_c;
    gemm_host(g.m, g.n, g.k, {g.A.data + b * g.step_a, g.A.ld}, {g.B.data + b * g.step_b, g.B.ld}, {C, g.C.ld});
    for (int j = 0; j < g.n; ++j)
      simt::checker_initialised(C + j * g.C.ld, static_cast<std::size_t>(g.m) * sizeof(double));
  }
}

}  // namespace weir
