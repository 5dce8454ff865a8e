#define DISABLE_CUSPARSE_DEPRECATED  // the bsr routines are deprecated
#include <cusparse.h>

#include <algorithm>
#include <string>

#include "backend/launch.hpp"
#include "base/error.hpp"
#include "solvers/adapters/vendor/vendor_kernels.hpp"
#include "solvers/device/cuda/toolkit_library.hpp"

namespace weir {
namespace {

// The cuSPARSE functions used, loaded with the first solver that needs them.
struct Cusparse {
  backend::ToolkitLibrary library{"cusparse", CUSPARSE_VER_MAJOR};
#define WEIR_FUNCTION(name) \
  decltype(::cusparse##name)* name = library.function<decltype(::cusparse##name)>("cusparse" #name)
  WEIR_FUNCTION(Create);
  WEIR_FUNCTION(CreateBsrilu02Info);
  WEIR_FUNCTION(CreateBsrsv2Info);
  WEIR_FUNCTION(CreateCsr);
  WEIR_FUNCTION(CreateDnVec);
  WEIR_FUNCTION(CreateMatDescr);
  WEIR_FUNCTION(Dbsrilu02);
  WEIR_FUNCTION(Dbsrilu02_analysis);
  WEIR_FUNCTION(Dbsrilu02_bufferSize);
  WEIR_FUNCTION(Dbsrsv2_analysis);
  WEIR_FUNCTION(Dbsrsv2_bufferSize);
  WEIR_FUNCTION(Dbsrsv2_solve);
  WEIR_FUNCTION(Destroy);
  WEIR_FUNCTION(DestroyBsrilu02Info);
  WEIR_FUNCTION(DestroyBsrsv2Info);
  WEIR_FUNCTION(DestroyDnVec);
  WEIR_FUNCTION(DestroyMatDescr);
  WEIR_FUNCTION(DestroySpMat);
  WEIR_FUNCTION(DnVecSetValues);
  WEIR_FUNCTION(GetErrorString);
  WEIR_FUNCTION(SetMatDiagType);
  WEIR_FUNCTION(SetMatFillMode);
  WEIR_FUNCTION(SpMatSetAttribute);
  WEIR_FUNCTION(SpSV_analysis);
  WEIR_FUNCTION(SpSV_bufferSize);
  WEIR_FUNCTION(SpSV_createDescr);
  WEIR_FUNCTION(SpSV_destroyDescr);
  WEIR_FUNCTION(SpSV_solve);
  WEIR_FUNCTION(SpSV_updateMatrix);
  WEIR_FUNCTION(Xbsrilu02_zeroPivot);
#undef WEIR_FUNCTION
};
const Cusparse& cusparse() {
  static const Cusparse the_one;
  return the_one;
}

void check(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw Error(Exit::no_device, std::string("cuSPARSE: ") + cusparse().GetErrorString(status));
}

constexpr cusparseDirection_t by_rows = CUSPARSE_DIRECTION_ROW;  // blocks are row-major
constexpr cusparseOperation_t as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr cusparseSolvePolicy_t by_levels = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
constexpr double one = 1;

cusparseMatDescr_t description() {
  cusparseMatDescr_t d = nullptr;
  check(cusparse().CreateMatDescr(&d));
  return d;
}

std::vector<int> narrowed(const std::vector<std::int64_t>& start) {
  if (start.back() > 2147483647) throw Error(Exit::usage, "cuSPARSE: more than 2^31 entries");
  return {start.begin(), start.end()};
}

// Triangular solves with the factors, for each of the two storage formats.
class Routines {
 public:
  virtual ~Routines() = default;
  virtual void new_factors() = 0;
  virtual void solve(const double* r, double* middle, double* z) = 0;
};

struct Pattern {
  cusparseHandle_t handle;
  int rows, block, entries;
  const int *start, *column;
};

// Work space of a routine; at least one byte, so that the pointer is valid.
using Buffer = Array<char, Device>;
Buffer buffer_of(std::size_t bytes) { return Buffer(static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1))); }

// Generic routines on scalar rows.
class ScalarRoutines : public Routines {
 public:
  ScalarRoutines(const Pattern& p, double* factors, double* work) : p_(p), factors_(factors) {
    matrix(L_, factors);
    matrix(U_, factors);
    triangle(L_, CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_UNIT);
    triangle(U_, CUSPARSE_FILL_MODE_UPPER, CUSPARSE_DIAG_TYPE_NON_UNIT);
    check(cusparse().CreateDnVec(&x_, p.rows, work, CUDA_R_64F));
    check(cusparse().CreateDnVec(&y_, p.rows, work, CUDA_R_64F));
    analyse(L_, lower_, lower_buffer_);
    analyse(U_, upper_, upper_buffer_);
  }
  ~ScalarRoutines() override {
    cusparse().SpSV_destroyDescr(lower_);
    cusparse().SpSV_destroyDescr(upper_);
    cusparse().DestroyDnVec(x_);
    cusparse().DestroyDnVec(y_);
    for (auto* m : {L_, U_}) cusparse().DestroySpMat(m);
  }
  void new_factors() override {
    check(cusparse().SpSV_updateMatrix(p_.handle, lower_, factors_, CUSPARSE_SPSV_UPDATE_GENERAL));
    check(cusparse().SpSV_updateMatrix(p_.handle, upper_, factors_, CUSPARSE_SPSV_UPDATE_GENERAL));
  }
  void solve(const double* r, double* middle, double* z) override {
    point(r, middle);
    check(cusparse().SpSV_solve(p_.handle, as_is, &one, L_, x_, y_, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, lower_));
    point(middle, z);
    check(cusparse().SpSV_solve(p_.handle, as_is, &one, U_, x_, y_, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, upper_));
  }

 private:
  void matrix(cusparseSpMatDescr_t& m, double* values) const {
    check(cusparse().CreateCsr(&m, p_.rows, p_.rows, p_.entries, const_cast<int*>(p_.start),
                               const_cast<int*>(p_.column), values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  }
  static void triangle(cusparseSpMatDescr_t m, cusparseFillMode_t fill, cusparseDiagType_t diagonal) {
    check(cusparse().SpMatSetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
    check(cusparse().SpMatSetAttribute(m, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal));
  }
  void analyse(cusparseSpMatDescr_t m, cusparseSpSVDescr_t& d, Buffer& buffer) const {
    check(cusparse().SpSV_createDescr(&d));
    std::size_t bytes = 0;
    check(cusparse().SpSV_bufferSize(p_.handle, as_is, &one, m, x_, y_, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, d,
                                     &bytes));
    buffer = buffer_of(bytes);
    check(cusparse().SpSV_analysis(p_.handle, as_is, &one, m, x_, y_, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, d,
                                   buffer.data()));
  }
  void point(const double* x, double* y) {
    check(cusparse().DnVecSetValues(x_, const_cast<double*>(x)));
    check(cusparse().DnVecSetValues(y_, y));
  }

  Pattern p_;
  double* factors_;
  cusparseSpMatDescr_t L_ = nullptr, U_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
  cusparseSpSVDescr_t lower_ = nullptr, upper_ = nullptr;
  Buffer lower_buffer_, upper_buffer_;
};

// bsr routines for blocks.
class BlockRoutines : public Routines {
 public:
  BlockRoutines(const Pattern& p, double* factors) : p_(p), factors_(factors) {
    triangle(L_, lower_, lower_buffer_, CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_UNIT);
    triangle(U_, upper_, upper_buffer_, CUSPARSE_FILL_MODE_UPPER, CUSPARSE_DIAG_TYPE_NON_UNIT);
  }
  ~BlockRoutines() override {
    cusparse().DestroyBsrsv2Info(lower_);
    cusparse().DestroyBsrsv2Info(upper_);
    for (auto* d : {L_, U_}) cusparse().DestroyMatDescr(d);
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
    check(cusparse().SetMatFillMode(d, fill));
    check(cusparse().SetMatDiagType(d, diagonal));
    check(cusparse().CreateBsrsv2Info(&info));
    int bytes = 0;
    check(cusparse().Dbsrsv2_bufferSize(p_.handle, by_rows, as_is, p_.rows, p_.entries, d, factors_, p_.start,
                                        p_.column, p_.block, info, &bytes));
    buffer = buffer_of(static_cast<std::size_t>(bytes));
    check(cusparse().Dbsrsv2_analysis(p_.handle, by_rows, as_is, p_.rows, p_.entries, d, factors_, p_.start, p_.column,
                                      p_.block, info, by_levels, buffer.data()));
  }
  void triangular_solve(cusparseMatDescr_t d, bsrsv2Info_t info, const Buffer& buffer, const double* r,
                        double* z) const {
    check(cusparse().Dbsrsv2_solve(p_.handle, by_rows, as_is, p_.rows, p_.entries, &one, d, factors_, p_.start,
                                   p_.column, p_.block, info, r, z, by_levels, buffer.data()));
  }

  Pattern p_;
  double* factors_;
  cusparseMatDescr_t L_ = nullptr, U_ = nullptr;
  bsrsv2Info_t lower_ = nullptr, upper_ = nullptr;
  Buffer lower_buffer_, upper_buffer_;
};

class CudaKernels : public VendorKernels {
 public:
  explicit CudaKernels(const BlockCsr<Device>& A)
      : A_(A),
        start_(narrowed(A.row_start().to_vector())),
        factors_(A.blocks() * A.block() * A.block()),
        middle_(A.size()) {
    check(cusparse().Create(&sparse_));
    analyse_factorisation();
    if (A.block() == 1)
      routines_ = std::make_unique<ScalarRoutines>(pattern(), factors_.data(), middle_.data());
    else
      routines_ = std::make_unique<BlockRoutines>(pattern(), factors_.data());
  }
  ~CudaKernels() override {
    routines_.reset();
    cusparse().DestroyBsrilu02Info(ilu_);
    cusparse().DestroyMatDescr(factor_description_);
    cusparse().Destroy(sparse_);
  }
  CudaKernels(const CudaKernels&) = delete;
  CudaKernels& operator=(const CudaKernels&) = delete;

  void factorise() override {
    copy_values();
    const Pattern p = pattern();
    check(cusparse().Dbsrilu02(sparse_, by_rows, p.rows, p.entries, factor_description_, factors_.data(), p.start,
                               p.column, p.block, ilu_, by_levels, ilu_buffer_.data()));
    int row = -1;
    if (cusparse().Xbsrilu02_zeroPivot(sparse_, ilu_, &row) == CUSPARSE_STATUS_ZERO_PIVOT)
      throw Error(Exit::solver_failed, "cuSPARSE: bsrilu02 found a singular block in block row " + std::to_string(row));
    routines_->new_factors();
  }
  void solve(View<const double> r, View<double> z) override { routines_->solve(r.data(), middle_.data(), z.data()); }
  std::int64_t bytes() const override { return 8 * factors_.size() + ilu_buffer_.size(); }

 private:
  Pattern pattern() const {
    return {sparse_, A_.rows(), A_.block(), static_cast<int>(A_.blocks()), start_.data(), A_.column().data()};
  }
  void copy_values() {
    backend::check(cudaMemcpyAsync(factors_.data(), A_.view().value.data(), sizeof(double) * factors_.size(),
                                   cudaMemcpyDeviceToDevice, nullptr),
                   "copying the values");
  }
  void analyse_factorisation() {
    factor_description_ = description();
    check(cusparse().CreateBsrilu02Info(&ilu_));
    copy_values();
    const Pattern p = pattern();
    int bytes = 0;
    check(cusparse().Dbsrilu02_bufferSize(sparse_, by_rows, p.rows, p.entries, factor_description_, factors_.data(),
                                          p.start, p.column, p.block, ilu_, &bytes));
    ilu_buffer_ = buffer_of(static_cast<std::size_t>(bytes));
    check(cusparse().Dbsrilu02_analysis(sparse_, by_rows, p.rows, p.entries, factor_description_, factors_.data(),
                                        p.start, p.column, p.block, ilu_, by_levels, ilu_buffer_.data()));
  }

  const BlockCsr<Device>& A_;
  Array<int, Device> start_;
  Array<double, Device> factors_, middle_;
  cusparseHandle_t sparse_ = nullptr;
  cusparseMatDescr_t factor_description_ = nullptr;
  bsrilu02Info_t ilu_ = nullptr;
  Buffer ilu_buffer_;
  std::unique_ptr<Routines> routines_;
};

}  // namespace

bool has_vendor_kernels() { return static_cast<bool>(backend::ToolkitLibrary("cusparse", CUSPARSE_VER_MAJOR)); }

std::unique_ptr<VendorKernels> make_vendor_kernels(const BlockCsr<Device>& A) {
  return std::make_unique<CudaKernels>(A);
}

}  // namespace weir
