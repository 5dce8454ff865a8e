// Products of dense matrices, column-major: C = A B.
//
// Host: our own kernel, run by the calling thread alone. It serves matrices that fit the second cache (a few hundred
// rows), where it runs at the speed of OpenBLAS; and unlike a BLAS it never starts threads of its own, and every entry
// of C is one chain of fused multiply-adds in the order of k, whatever the shape of the block it is computed in, so the
// bits of a product do not depend on how the work was divided. Device: cuBLAS where the device is a GPU and cuBLAS is
// installed, a kernel of our own (gemm_plain.cu) where it is not; the host kernel where the device is emulated.
#pragma once
#include <cstddef>
#include <cstdint>

namespace weir {

struct Panel {  // a column-major matrix: entry (i, j) at data[i + j * ld]
  double* data;
  std::ptrdiff_t ld;
};
struct ConstPanel {
  const double* data;
  std::ptrdiff_t ld;
};

// C (m x n) = A (m x k) B (k x n) on host memory; C must not overlap A or B.
void gemm_host(int m, int n, int k, ConstPanel A, ConstPanel B, Panel C);

// `count` such products on the device's memory, matrix b at data + b * step (a step of 0: the same matrix for all).
struct GemmBatch {
  int m, n, k;
  ConstPanel A, B;
  Panel C;
  int count = 1;
  std::int64_t step_a = 0, step_b = 0, step_c = 0;
};
void gemm_device(const GemmBatch& g);
void gemm_device_plain(const GemmBatch& g);  // without cuBLAS; the bits of gemm_host

}  // namespace weir
