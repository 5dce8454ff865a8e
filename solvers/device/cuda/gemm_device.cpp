// cuBLAS, in the default stream, in full double precision.
#include <cublas_v2.h>

#include <string>

#include "backend/launch.hpp"
#include "base/error.hpp"
#include "solvers/device/gemm.hpp"

namespace weir {
namespace {

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Error(Exit::no_device, std::string("cuBLAS: ") + cublasGetStatusString(status));
}

// Made at the first product: cuBLAS takes its workspace then, and none later.
cublasHandle_t handle() {
  static const cublasHandle_t the_handle = [] {
    cublasHandle_t h = nullptr;
    check(cublasCreate(&h));
    return h;
  }();
  return the_handle;
}

}  // namespace

void gemm_device(const GemmBatch& g) {
  backend::refuse_recording("a product by cuBLAS");
  const double one = 1, zero = 0;
  check(cublasDgemmStridedBatched(handle(), CUBLAS_OP_N, CUBLAS_OP_N, g.m, g.n, g.k, &one, g.A.data,
                                  static_cast<int>(g.A.ld), g.step_a, g.B.data, static_cast<int>(g.B.ld), g.step_b,
                                  &zero, g.C.data, static_cast<int>(g.C.ld), g.step_c, g.count));
}

}  // namespace weir
