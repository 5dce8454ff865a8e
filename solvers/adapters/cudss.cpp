// cuDSS (NVIDIA), a direct solver on the GPU: Cholesky for symmetric positive definite matrices, LU for any. Scalar
// rows. An update keeps ordering and symbolic factors. If constants are the null space, the last unknown is fixed at
// zero. Compiled, never run.
#include <cuda_runtime.h>
#include <cudss.h>

#include <algorithm>

#include "base/error.hpp"
#include "solvers/adapters/held_rows.hpp"
#include "solvers/adapters/peer.hpp"

namespace weir {
namespace {

void check(cudssStatus_t status, const char* phase) {
  if (status != CUDSS_STATUS_SUCCESS)
    throw Error(Exit::solver_failed,
                std::string("cuDSS: ") + phase + " failed (status " + std::to_string(status) + ")");
}
void check(cudaError_t error) {
  if (error != cudaSuccess) throw Error(Exit::solver_failed, std::string("cuDSS: ") + cudaGetErrorString(error));
}

// Device memory.
template <class T>
class OnGpu {
 public:
  OnGpu() = default;
  ~OnGpu() { cudaFree(data_); }
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;
  void put(std::span<const T> from) {
    if (from.size() != size_) {
      cudaFree(data_);
      data_ = nullptr;
      size_ = from.size();
      check(cudaMalloc(&data_, sizeof(T) * size_));
    }
    check(cudaMemcpy(data_, from.data(), sizeof(T) * size_, cudaMemcpyHostToDevice));
  }
  void get(std::span<T> to) const { check(cudaMemcpy(to.data(), data_, sizeof(T) * size_, cudaMemcpyDeviceToHost)); }
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

class Cudss : public Peer {
 public:
  explicit Cudss(bool cholesky) : cholesky_(cholesky) {
    check(cudssCreate(&handle_), "its start");
    check(cudssConfigCreate(&config_), "its start");
  }
  ~Cudss() override {
    release();
    cudssConfigDestroy(config_);
    cudssDestroy(handle_);
  }

  void setup(const BlockCsrData& A) override {
    if (cholesky_ && !A.symmetric)
      throw Error(Exit::usage, "cudss:cholesky requires a symmetric matrix; cudss:lu accepts any");
    release();
    rows_.take(A);
    start_.put(rows_.start);
    column_.put(rows_.column);
    value_.put(rows_.value);
    host_.assign(static_cast<std::size_t>(rows_.n), 0);
    r_.put(host_);
    d_.put(host_);
    const std::int64_t n = rows_.n;
    check(cudssDataCreate(handle_, &data_), "its data");
    check(cudssMatrixCreateCsr(&A_, n, n, static_cast<std::int64_t>(rows_.value.size()), start_.data(), nullptr,
                               column_.data(), value_.data(), CUDSS_R_64I, CUDSS_R_64I, CUDSS_R_64F,
                               cholesky_ ? CUDSS_MTYPE_SPD : CUDSS_MTYPE_GENERAL,
                               cholesky_ ? CUDSS_MVIEW_UPPER : CUDSS_MVIEW_FULL, CUDSS_BASE_ZERO),
          "the matrix");
    check(cudssMatrixCreateDn(&right_, n, 1, n, r_.data(), CUDSS_R_64F, CUDSS_LAYOUT_COL_MAJOR), "a vector");
    check(cudssMatrixCreateDn(&solution_, n, 1, n, d_.data(), CUDSS_R_64F, CUDSS_LAYOUT_COL_MAJOR), "a vector");
    execute(CUDSS_PHASE_ANALYSIS, "the analysis");
    factorise(CUDSS_PHASE_FACTORIZATION);
  }
  void update(const BlockCsrData& A) override {
    rows_.update(A);
    value_.put(rows_.value);
    factorise(CUDSS_PHASE_REFACTORIZATION);
  }
  PeerSolve solve(std::span<const double> r, double, int, std::span<double> d) override {
    std::ranges::fill(d, 0.0);
    if (!is_good_) return {0, Reason::breakdown};
    std::copy(r.begin(), r.end(), host_.begin());
    if (rows_.holds_last) host_.back() = 0;
    r_.put(host_);
    execute(CUDSS_PHASE_SOLVE, "the solve");
    d_.get(d);
    return {1, Reason::converged};
  }
  std::string describe() const override { return cholesky_ ? "cuDSS, Cholesky" : "cuDSS, LU"; }

 private:
  void execute(int phase, const char* name) {
    check(cudssExecute(handle_, phase, config_, data_, A_, solution_, right_), name);
  }
  void factorise(int phase) {
    execute(phase, "the factorisation");
    int zero_pivot = 0;
    std::size_t written = 0;
    check(cudssDataGet(handle_, data_, CUDSS_DATA_INFO, &zero_pivot, sizeof zero_pivot, &written), "the factorisation");
    is_good_ = zero_pivot == 0;
  }
  void release() {
    for (cudssMatrix_t* m : {&A_, &right_, &solution_})
      if (*m) cudssMatrixDestroy(*m);
    if (data_) cudssDataDestroy(handle_, data_);
    A_ = right_ = solution_ = nullptr;
    data_ = nullptr;
  }

  bool cholesky_, is_good_ = false;
  HeldRows rows_;
  OnGpu<std::int64_t> start_, column_;
  OnGpu<double> value_, r_, d_;
  std::vector<double> host_;
  cudssHandle_t handle_ = nullptr;
  cudssConfig_t config_ = nullptr;
  cudssData_t data_ = nullptr;
  cudssMatrix_t A_ = nullptr, right_ = nullptr, solution_ = nullptr;
};

}  // namespace

PeerLibrary cudss_library() {
  return {"cudss", true, [](const std::string& what, const KrylovOptions&) -> std::unique_ptr<Peer> {
            if (what != "cholesky" && what != "lu") refuse_peer("cudss", what, "cholesky, lu");
            return std::make_unique<Cudss>(what == "cholesky");
          }};
}

}  // namespace weir
