// cuBLAS, in the default stream, in full double precision; where it is not installed, gemm_plain.cu.
#include <cublas_v2.h>

#include <string>

#include "backend/launch.hpp"
#include "base/error.hpp"
#include "solvers/device/cuda/toolkit_library.hpp"
#include "solvers/device/gemm.hpp"

namespace weir {
namespace {

struct Cublas {
  decltype(&::cublasDgemmStridedBatched) multiply;
  decltype(&::cublasGetStatusString) text;
  cublasHandle_t handle = nullptr;

  explicit Cublas(const backend::ToolkitLibrary& library)
      : multiply(library.function<decltype(::cublasDgemmStridedBatched)>("cublasDgemmStridedBatched")),
        text(library.function<decltype(::cublasGetStatusString)>("cublasGetStatusString")) {
    check(library.function<decltype(::cublasCreate_v2)>("cublasCreate_v2")(&handle));
  }
  void check(cublasStatus_t status) const {
    if (status != CUBLAS_STATUS_SUCCESS) throw Error(Exit::no_device, std::string("cuBLAS: ") + text(status));
  }
};

// Made at the first product: cuBLAS takes its workspace then, and none later. Null where it is not installed.
const Cublas* cublas() {
  static const backend::ToolkitLibrary library("cublas", CUBLAS_VER_MAJOR);
  if (!library) return nullptr;
  static const Cublas the_one(library);
  return &the_one;
}

}  // namespace

void gemm_device(const GemmBatch& g) {
  backend::refuse_recording("a product by cuBLAS");
  const Cublas* const blas = cublas();
  if (!blas) return gemm_device_plain(g);
  const double one = 1, zero = 0;
  blas->check(blas->multiply(blas->handle, CUBLAS_OP_N, CUBLAS_OP_N, g.m, g.n, g.k, &one, g.A.data,
                             static_cast<int>(g.A.ld), g.step_a, g.B.data, static_cast<int>(g.B.ld), g.step_b, &zero,
                             g.C.data, static_cast<int>(g.C.ld), g.step_c, g.count));
}

}  // namespace weir
