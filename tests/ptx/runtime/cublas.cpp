// A stand-in for cuBLAS: the products and copies that Weir calls.
#include <cublas_v2.h>

#include <algorithm>
#include <cstdint>
#include <vector>

extern "C" {
void weir_ptx_submit(cudaStream_t stream, void (*work)(void*), void* data);
char* weir_ptx_memory(const void* p, std::uint64_t bytes);
void weir_ptx_report(const char* what);
void weir_ptx_count_product(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t products);
}

namespace {

cudaStream_t current_stream = nullptr;

// Columns of length `rows`, `ld` apart.
const double* matrix(const double* p, std::int64_t rows, std::int64_t columns, std::int64_t ld) {
  return reinterpret_cast<const double*>(
      weir_ptx_memory(p, static_cast<std::uint64_t>(((columns - 1) * ld + rows) * 8)));
}

struct Product {  // C = alpha A B + beta C, `count` of them
  int m, n, k;
  double alpha;
  const double* A;
  int lda;
  long long step_a;
  const double* B;
  int ldb;
  long long step_b;
  double beta;
  double* C;
  int ldc;
  long long step_c;
  int count;

  void run() const {
    for (int b = 0; b < count; ++b) {
      const double* a = k ? matrix(A + b * step_a, m, k, lda) : nullptr;
      const double* x = k ? matrix(B + b * step_b, k, n, ldb) : nullptr;
      double* c = const_cast<double*>(matrix(C + b * step_c, m, n, ldc));
      if ((k && (!a || !x)) || !c) return weir_ptx_report("FAULT: a product of cuBLAS leaves an allocation");
      for (int j = 0; j < n; ++j)
        column(a, x + static_cast<std::ptrdiff_t>(j) * ldb, c + static_cast<std::ptrdiff_t>(j) * ldc);
    }
  }
  void column(const double* a, const double* x, double* c) const {
    std::vector<double> sum(static_cast<std::size_t>(m));
    for (int l = 0; l < k; ++l)
      for (int i = 0; i < m; ++i)
        sum[static_cast<std::size_t>(i)] += a[i + static_cast<std::ptrdiff_t>(l) * lda] * x[l];
    for (int i = 0; i < m; ++i) c[i] = alpha * sum[static_cast<std::size_t>(i)] + (beta != 0 ? beta * c[i] : 0);
  }
};

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  static int any;
  *handle = reinterpret_cast<cublasHandle_t>(&any);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetStream_v2(cublasHandle_t, cudaStream_t stream) {
  current_stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void*, std::size_t) { return CUBLAS_STATUS_SUCCESS; }
const char* cublasGetStatusString(cublasStatus_t) { return "cuBLAS error"; }

cublasStatus_t cublasDgemmStridedBatched(cublasHandle_t, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                                         int k, const double* alpha, const double* A, int lda, long long step_a,
                                         const double* B, int ldb, long long step_b, const double* beta, double* C,
                                         int ldc, long long step_c, int count) {
  const bool good = m >= 0 && n >= 0 && k >= 0 && count >= 0 && lda >= std::max(m, 1) && ldb >= std::max(k, 1) &&
                    ldc >= std::max(m, 1) && ta == CUBLAS_OP_N && tb == CUBLAS_OP_N;
  if (!good) {
    weir_ptx_report("FAULT: cublasDgemmStridedBatched: invalid value");
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (m == 0 || n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
  weir_ptx_count_product(static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(k),
                         static_cast<std::uint64_t>(count));
  auto* product = new Product{m, n, k, *alpha, A, lda, step_a, B, ldb, step_b, *beta, C, ldc, step_c, count};
  weir_ptx_submit(
      current_stream,
      [](void* data) {
        const Product* p = static_cast<const Product*>(data);
        p->run();
        delete p;
      },
      product);
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
