// The emulated device's memory is the host's, and so is its product.
#include "solvers/device/gemm.hpp"

namespace weir {

void gemm_device(const GemmBatch& g) {
  for (int b = 0; b < g.count; ++b)
    gemm_host(g.m, g.n, g.k, {g.A.data + b * g.step_a, g.A.ld}, {g.B.data + b * g.step_b, g.B.ld},
              {g.C.data + b * g.step_c, g.C.ld});
}

}  // namespace weir
