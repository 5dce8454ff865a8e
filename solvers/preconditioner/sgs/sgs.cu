// sgs: symmetric (block) Gauss-Seidel in the order of the rows, A = L + D + U with D the block diagonal.
//   M = (D + L) D^-1 (D + U):   y = D^-1 r - D^-1 L y,   z = y - D^-1 U z
//   sweeps > 1:                 z += M^-1 (r - A z)
// D^-1, D^-1 L and D^-1 U are stored, so that both triangles have a unit diagonal (triangular.hpp): exact in either
// space whatever the schedule, and symmetric if A is. Matrices of other kinds are copied to block CSR.
#include <optional>

#include "base/error.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/matrix/algorithms/triangular.hpp"
#include "solvers/matrix/block/block_rows.hpp"
#include "solvers/matrix/row_error.hpp"
#include "solvers/preconditioner/jacobi/block_invert.hpp"
#include "solvers/preconditioner/preconditioner.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace sgs_kernels {

// to = D^-1 a, column by column; a and D^-1 row by row.
template <class T>
WEIR_HD void scale_block(const double* inverse, const double* a, int n, T* to) {
  for (int c = 0; c < n; ++c)
    for (int r = 0; r < n; ++r) {
      double s = 0;
      for (int k = 0; k < n; ++k) s += inverse[r * n + k] * a[k * n + c];
      to[c * n + r] = static_cast<T>(s);
    }
}

// Positions of row i in the two triangles, and D^-1.
template <class T>
struct Factors {
  TriangleView<T> lower, upper;
  const int *in_lower, *in_upper;
  T* scale;
  double* inverse;
};

// One row of each triangle per thread. Returns the first row whose diagonal block has no inverse, or the number of
// rows; the reduction takes the maximum of rows - i.
template <class Space, class T>
int fill(const BlockCsrView& A, const Factors<T>& f) {
  return A.rows - static_cast<int>(max_abs<Space>(A.rows, [=] WEIR_HD(int i) {
           const int n = A.block, p = f.in_lower[i];
           const std::int64_t nn = static_cast<std::int64_t>(n) * n, d = A.diagonal[i];
           double* inverse = f.inverse + i * nn;
           for (int k = 0; k < nn; ++k) inverse[k] = A.value[d * nn + k];
           if (!block_jacobi::invert(inverse, n)) return static_cast<double>(A.rows - i);
           for (int k = 0; k < nn; ++k) f.scale[p * nn + k % n * n + k / n] = static_cast<T>(inverse[k]);
           std::int64_t to = f.lower.start[p];
           for (std::int64_t e = A.row_start[i]; e < d; ++e, ++to)
             scale_block(inverse, A.value.data() + e * nn, n, f.lower.value + to * nn);
           to = f.upper.start[f.in_upper[i]];
           for (std::int64_t e = d + 1; e < A.row_start[i + 1]; ++e, ++to)
             scale_block(inverse, A.value.data() + e * nn, n, f.upper.value + to * nn);
           return 0.0;
         }));
}

}  // namespace sgs_kernels

namespace {

template <class Space, class T>
class SymmetricGaussSeidel final : public Preconditioner<Space> {
 public:
  explicit SymmetricGaussSeidel(int sweeps)
      : Preconditioner<Space>({.keeps_symmetry = true, .storage = stored_as<T>}), sweeps_(sweeps) {}

  SetupInfo do_setup(const Matrix<Space>& matrix) override {
    copy_.reset();
    const BlockCsr<Space>& A = rows_of(matrix);
    const Triangles rows =
        triangles_of("sgs", A.row_start().to_vector(), A.diagonal().to_vector(), A.column().to_vector());
    lower_.emplace(rows.lower, Triangle::lower, A.block());
    upper_.emplace(rows.upper, Triangle::upper, A.block());
    in_lower_ = Array<int, Space>(lower_->positions());
    in_upper_ = Array<int, Space>(upper_->positions());
    blocks_ = A.blocks();
    block_ = A.block();
    threads_ = useful_threads();
    scale_ = Array<T, Space>(std::int64_t{A.size()} * block_);
    inverse_ = Array<double, Space>(scale_.size());
    y_ = Array<double, Space>(A.size());
    if (sweeps_ > 1) d_ = Array<double, Space>(A.size());
    return do_update(matrix);
  }

  SetupInfo do_update(const Matrix<Space>& matrix) override {
    if (!lower_ || matrix.size() != y_.size() || matrix.block() != block_ || threads_ != useful_threads())
      return do_setup(matrix);
    const BlockCsr<Space>& A = rows_of(matrix);
    if (A.blocks() != blocks_) return do_setup(matrix);
    A_ = &matrix;
    const int bad =
        sgs_kernels::fill<Space>(A.view(), sgs_kernels::Factors<T>{lower_->view(), upper_->view(), in_lower_.data(),
                                                                   in_upper_.data(), scale_.data(), inverse_.data()});
    if (bad < A.rows())
      throw RowError(Exit::solver_failed, "sgs: the diagonal block of ", bad, " is singular or not finite");
    return {.levels = lower_->levels(),
            .nnz = blocks_ * block_ * block_,
            .bytes = lower_->bytes() + upper_->bytes() + static_cast<std::int64_t>(sizeof(T)) * scale_.size() +
                     8 * (inverse_.size() + y_.size() + d_.size()) + 8 * in_lower_.size() +
                     (copy_ ? copy_->bytes() : 0)};
  }

  void apply(View<const double> r, View<double> z) const override {
    solve(r.data(), z.data());
    for (int sweep = 1; sweep < sweeps_; ++sweep) {
      A_->residual(r, z, d_.view());
      solve(d_.data(), y_.data());
      axpy<Space>(1, y_.view(), z);
    }
  }
  Work apply_work() const override {
    if (!A_) return {};
    const Work once = work_of_sweeps(A_->rows(), block_, blocks_ - A_->rows(), sizeof(T)), product = A_->apply_work();
    const std::int64_t more = sweeps_ - 1, n = A_->size();
    return {sweeps_ * once.bytes + more * (product.bytes + 32 * n),
            sweeps_ * once.flops + more * (product.flops + 2 * n)};
  }
  std::string describe() const override {
    return "symmetric Gauss-Seidel, " + std::to_string(sweeps_) + (sweeps_ == 1 ? " sweep, " : " sweeps, ") +
           to_string(stored_as<T>);
  }

 private:
  const BlockCsr<Space>& rows_of(const Matrix<Space>& A) {
    if (const auto* rows = dynamic_cast<const BlockCsr<Space>*>(&A)) return *rows;
    const BlockCsrData data = block_rows(A);
    if (copy_ && copy_->blocks() == static_cast<std::int64_t>(data.column.size()))
      copy_->update(data.value);
    else
      copy_.emplace(data);
    return *copy_;
  }
  void solve(const double* r, double* z) const {
    lower_->solve(scale_.data(), r, z);
    upper_->solve(nullptr, z, z);
  }

  int sweeps_, block_ = 1, threads_ = 0;
  std::int64_t blocks_ = -1;
  const Matrix<Space>* A_ = nullptr;
  std::optional<BlockCsr<Space>> copy_;  // of a matrix of another kind
  mutable std::optional<UnitTriangle<Space, T>> lower_, upper_;
  Array<T, Space> scale_;         // D^-1, by position in lower_
  Array<double, Space> inverse_;  // D^-1, by row
  Array<int, Space> in_lower_, in_upper_;
  mutable Array<double, Space> y_, d_;
};

constexpr Option sgs_keys[] = {
    {"sweeps", Option::integer, "1", "number of symmetric sweeps (one forward and one backward pass each)", "[1, inf)"},
    {"storage", Option::text, "double", "storage of D^-1, D^-1 L and D^-1 U; arithmetic is in double",
     "double | float"}};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_sgs(const Table& options) {
  const Table t = options.described_by(sgs_keys);
  if (t.get<std::string>("storage") == "float")
    return std::make_unique<SymmetricGaussSeidel<Space, float>>(t.get<int>("sweeps"));
  return std::make_unique<SymmetricGaussSeidel<Space, double>>(t.get<int>("sweeps"));
}

double sgs_bytes(const Table& options, const MatrixSize& A) {
  const int value = options.described_by(sgs_keys).get<std::string>("storage") == "float" ? 4 : 8;
  return value * A.entries(A.blocks) + 4 * A.blocks + 32 * A.rows + 8 * A.entries(A.rows) + 8 * A.unknowns();
}

}  // namespace

constexpr PreconditionerDescription preconditioner::sgs{
    .name = "sgs",
    .meaning = "symmetric block Gauss-Seidel in the order of the rows, exact",
    .citation = "Saad 2003, section 10.2",
    .options = sgs_keys,
    .matrices = on_any_matrix,
    .over_ranks = 0,
    .update_cost = 0.5,
    .divides_by = DividesBy::diagonal,
    .tried_with = "gmres",
    .bytes = sgs_bytes,
    .make_host = make_sgs<Host>,
    .make_device = make_sgs<Device>};

}  // namespace weir
