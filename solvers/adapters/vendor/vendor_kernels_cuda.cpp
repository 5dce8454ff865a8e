#define DISABLE_CUSPARSE_DEPRECATED  // the bsr routines are what is compared
#include <cublas_v2.h>
#include <cusparse.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "solvers/adapters/vendor/vendor_kernels.hpp"

namespace weir {
namespace {

void check(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw Error(Exit::no_device, std::string("cuSPARSE: ") + cusparseGetErrorString(status));
}
void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Error(Exit::no_device, std::string("cuBLAS: ") + cublasGetStatusString(status));
}

constexpr cusparseDirection_t by_rows = CUSPARSE_DIRECTION_ROW;  // blocks are row-major
constexpr cusparseOperation_t as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr cusparseSolvePolicy_t by_levels = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
constexpr double one = 1, zero = 0;

cusparseMatDescr_t description() {
  cusparseMatDescr_t d = nullptr;
  check(cusparseCreateMatDescr(&d));
  return d;
}

std::vector<int> narrowed(const std::vector<std::int64_t>& start) {
  if (start.back() > 2147483647) throw Error(Exit::usage, "cuSPARSE: more than 2^31 entries");
  return {start.begin(), start.end()};
}

// What each of the two ways of storage has: products and triangular solves with the factors.
class Routines {
 public:
  virtual ~Routines() = default;
  virtual void product(const double* x, double* y) = 0;
  virtual void new_factors() = 0;
  virtual void solve(const double* r, double* middle, double* z) = 0;
};

struct Pattern {
  cusparseHandle_t handle;
  int rows, block, entries;
  const int *start, *column;
};

// Work space that a routine has asked for; at least one byte, so that the pointer is one.
using Buffer = Array<char, Device>;
Buffer buffer_of(std::size_t bytes) { return Buffer(static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1))); }

// Generic routines on scalar rows.
class ScalarRoutines : public Routines {
 public:
  ScalarRoutines(const Pattern& p, double* values, double* factors, double* work) : p_(p), factors_(factors) {
    matrix(A_, values);
    matrix(L_, factors);
    matrix(U_, factors);
    triangle(L_, CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_UNIT);
    triangle(U_, CUSPARSE_FILL_MODE_UPPER, CUSPARSE_DIAG_TYPE_NON_UNIT);
    check(cusparseCreateDnVec(&x_, p.rows, work, CUDA_R_64F));
    check(cusparseCreateDnVec(&y_, p.rows, work, CUDA_R_64F));
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(p.handle, as_is, &one, A_, x_, &zero, y_, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT,
                                  &bytes));
    product_buffer_ = buffer_of(bytes);
    analyse(L_, lower_, lower_buffer_);
    analyse(U_, upper_, upper_buffer_);
  }
  ~ScalarRoutines() override {
    cusparseSpSV_destroyDescr(lower_);
    cusparseSpSV_destroyDescr(upper_);
    cusparseDestroyDnVec(x_);
    cusparseDestroyDnVec(y_);
    for (auto* m : {A_, L_, U_}) cusparseDestroySpMat(m);
  }
  void product(const double* x, double* y) override {
    point(x, y);
    check(cusparseSpMV(p_.handle, as_is, &one, A_, x_, &zero, y_, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT,
                       product_buffer_.data()));
  }
  void new_factors() override {
    check(cusparseSpSV_updateMatrix(p_.handle, lower_, factors_, CUSPARSE_SPSV_UPDATE_GENERAL));
    check(cusparseSpSV_updateMatrix(p_.handle, upper_, factors_, CUSPARSE_SPSV_UPDATE_GENERAL));
  }
  void solve(const double* r, double* middle, double* z) override {
    point(r, middle);
    check(cusparseSpSV_solve(p_.handle, as_is, &one, L_, x_, y_, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, lower_));
    point(middle, z);
    check(cusparseSpSV_solve(p_.handle, as_is, &one, U_, x_, y_, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, upper_));
  }

 private:
  void matrix(cusparseSpMatDescr_t& m, double* values) const {
    check(cusparseCreateCsr(&m, p_.rows, p_.rows, p_.entries, const_cast<int*>(p_.start), const_cast<int*>(p_.column),
                            values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  }
  static void triangle(cusparseSpMatDescr_t m, cusparseFillMode_t fill, cusparseDiagType_t diagonal) {
    check(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
    check(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal));
  }
  void analyse(cusparseSpMatDescr_t m, cusparseSpSVDescr_t& d, Buffer& buffer) const {
    check(cusparseSpSV_createDescr(&d));
    std::size_t bytes = 0;
    check(cusparseSpSV_bufferSize(p_.handle, as_is, &one, m, x_, y_, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, d, &bytes));
    buffer = buffer_of(bytes);
    check(cusparseSpSV_analysis(p_.handle, as_is, &one, m, x_, y_, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, d,
                                buffer.data()));
  }
  void point(const double* x, double* y) {
    check(cusparseDnVecSetValues(x_, const_cast<double*>(x)));
    check(cusparseDnVecSetValues(y_, y));
  }

  Pattern p_;
  double* factors_;
  cusparseSpMatDescr_t A_ = nullptr, L_ = nullptr, U_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
  cusparseSpSVDescr_t lower_ = nullptr, upper_ = nullptr;
  Buffer product_buffer_, lower_buffer_, upper_buffer_;
};

// bsr routines on blocks.
class BlockRoutines : public Routines {
 public:
  BlockRoutines(const Pattern& p, const double* values, double* factors) : p_(p), values_(values), factors_(factors) {
    A_ = description();
    triangle(L_, lower_, lower_buffer_, CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_UNIT);
    triangle(U_, upper_, upper_buffer_, CUSPARSE_FILL_MODE_UPPER, CUSPARSE_DIAG_TYPE_NON_UNIT);
  }
  ~BlockRoutines() override {
    cusparseDestroyBsrsv2Info(lower_);
    cusparseDestroyBsrsv2Info(upper_);
    for (auto* d : {A_, L_, U_}) cusparseDestroyMatDescr(d);
  }
  void product(const double* x, double* y) override {
    check(cusparseDbsrmv(p_.handle, by_rows, as_is, p_.rows, p_.rows, p_.entries, &one, A_, values_, p_.start,
                         p_.column, p_.block, x, &zero, y));
  }
  void new_factors() override {}
  void solve(const double* r, double* middle, double* z) override {
    triangular_solve(L_, lower_, lower_buffer_, r, middle);
    triangular_solve(U_, upper_, upper_buffer_, middle, z);
  }

 private:
  void triangle(cusparseMatDescr_t& d, bsrsv2Info_t& info, Buffer& buffer, cusparseFillMode_t fill,
                cusparseDiagType_t diagonal) const {
    d = description();
    check(cusparseSetMatFillMode(d, fill));
    check(cusparseSetMatDiagType(d, diagonal));
    check(cusparseCreateBsrsv2Info(&info));
    int bytes = 0;
    check(cusparseDbsrsv2_bufferSize(p_.handle, by_rows, as_is, p_.rows, p_.entries, d, factors_, p_.start, p_.column,
                                     p_.block, info, &bytes));
    buffer = buffer_of(static_cast<std::size_t>(bytes));
    check(cusparseDbsrsv2_analysis(p_.handle, by_rows, as_is, p_.rows, p_.entries, d, factors_, p_.start, p_.column,
                                   p_.block, info, by_levels, buffer.data()));
  }
  void triangular_solve(cusparseMatDescr_t d, bsrsv2Info_t info, const Buffer& buffer, const double* r,
                        double* z) const {
    check(cusparseDbsrsv2_solve(p_.handle, by_rows, as_is, p_.rows, p_.entries, &one, d, factors_, p_.start, p_.column,
                                p_.block, info, r, z, by_levels, buffer.data()));
  }

  Pattern p_;
  const double* values_;
  double* factors_;
  cusparseMatDescr_t A_ = nullptr, L_ = nullptr, U_ = nullptr;
  bsrsv2Info_t lower_ = nullptr, upper_ = nullptr;
  Buffer lower_buffer_, upper_buffer_;
};

class CudaKernels : public VendorKernels {
 public:
  explicit CudaKernels(const BlockCsr<Device>& A)
      : A_(A),
        start_(narrowed(A.row_start().to_vector())),
        factors_(A.blocks() * A.block() * A.block()),
        middle_(A.size()),
        diagonal_(std::int64_t{A.rows()} * A.block() * A.block()) {
    check(cusparseCreate(&sparse_));
    check(cublasCreate(&dense_));
    analyse_factorisation();
    double* values = const_cast<double*>(A.view().value.data());
    if (A.block() == 1)
      routines_ = std::make_unique<ScalarRoutines>(pattern(), values, factors_.data(), middle_.data());
    else
      routines_ = std::make_unique<BlockRoutines>(pattern(), values, factors_.data());
    point_to_blocks();
  }
  ~CudaKernels() override {
    routines_.reset();
    cusparseDestroyBsrilu02Info(ilu_);
    cusparseDestroyMatDescr(factor_description_);
    cusparseDestroy(sparse_);
    cublasDestroy(dense_);
  }
  CudaKernels(const CudaKernels&) = delete;
  CudaKernels& operator=(const CudaKernels&) = delete;

  void product(View<const double> x, View<double> y) override { routines_->product(x.data(), y.data()); }

  void factorise() override {
    copy_values();
    const Pattern p = pattern();
    check(cusparseDbsrilu02(sparse_, by_rows, p.rows, p.entries, factor_description_, factors_.data(), p.start,
                            p.column, p.block, ilu_, by_levels, ilu_buffer_.data()));
    int row = -1;
    if (cusparseXbsrilu02_zeroPivot(sparse_, ilu_, &row) == CUSPARSE_STATUS_ZERO_PIVOT)
      throw Error(Exit::solver_failed, "cuSPARSE: bsrilu02 met a singular block in block row " + std::to_string(row));
    routines_->new_factors();
  }
  void solve(View<const double> r, View<double> z) override { routines_->solve(r.data(), middle_.data(), z.data()); }

  // Row-major blocks are transposed ones to cuBLAS: D^T = L U, so D = U^T L^T.
  void factorise_diagonal() override {
    A_.block_diagonal(diagonal_);
    check(cublasDgetrfBatched(dense_, A_.block(), blocks_.data(), A_.block(), nullptr, info_.data(), A_.rows()));
  }
  void solve_diagonal(View<double> z) override {
    if (z.data() != pointed_at_) point_to_vector(z.data());
    const int B = A_.block();
    check(cublasDtrsmBatched(dense_, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, B, 1,
                             &one, blocks_.data(), B, parts_.data(), B, A_.rows()));
    check(cublasDtrsmBatched(dense_, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, B, 1,
                             &one, blocks_.data(), B, parts_.data(), B, A_.rows()));
  }
  std::int64_t bytes() const override { return 8 * (factors_.size() + diagonal_.size()) + ilu_buffer_.size(); }

 private:
  Pattern pattern() const {
    return {sparse_, A_.rows(), A_.block(), static_cast<int>(A_.blocks()), start_.data(), A_.column().data()};
  }
  void copy_values() {
    const int n = static_cast<int>(factors_.size());
    check(cublasDcopy(dense_, n, A_.view().value.data(), 1, factors_.data(), 1));
  }
  void analyse_factorisation() {
    factor_description_ = description();
    check(cusparseCreateBsrilu02Info(&ilu_));
    copy_values();
    const Pattern p = pattern();
    int bytes = 0;
    check(cusparseDbsrilu02_bufferSize(sparse_, by_rows, p.rows, p.entries, factor_description_, factors_.data(),
                                       p.start, p.column, p.block, ilu_, &bytes));
    ilu_buffer_ = buffer_of(static_cast<std::size_t>(bytes));
    check(cusparseDbsrilu02_analysis(sparse_, by_rows, p.rows, p.entries, factor_description_, factors_.data(), p.start,
                                     p.column, p.block, ilu_, by_levels, ilu_buffer_.data()));
  }
  void point_to_blocks() {
    std::vector<double*> pointers;
    for (int i = 0; i < A_.rows(); ++i)
      pointers.push_back(diagonal_.data() + std::int64_t{i} * A_.block() * A_.block());
    blocks_ = Array<double*, Device>(pointers);
    parts_ = Array<double*, Device>(A_.rows());
    info_ = Array<int, Device>(A_.rows());
  }
  void point_to_vector(double* z) {
    std::vector<double*> pointers;
    for (int i = 0; i < A_.rows(); ++i) pointers.push_back(z + std::int64_t{i} * A_.block());
    parts_.upload(pointers);
    pointed_at_ = z;
  }

  const BlockCsr<Device>& A_;
  Array<int, Device> start_;
  Array<double, Device> factors_, middle_, diagonal_;
  Array<double*, Device> blocks_, parts_;
  Array<int, Device> info_;
  const double* pointed_at_ = nullptr;
  cusparseHandle_t sparse_ = nullptr;
  cublasHandle_t dense_ = nullptr;
  cusparseMatDescr_t factor_description_ = nullptr;
  bsrilu02Info_t ilu_ = nullptr;
  Buffer ilu_buffer_;
  std::unique_ptr<Routines> routines_;
};

}  // namespace

bool has_vendor_kernels() { return true; }

std::unique_ptr<VendorKernels> make_vendor_kernels(const BlockCsr<Device>& A) {
  return std::make_unique<CudaKernels>(A);
}

}  // namespace weir
