// line: block tridiagonal solves along the lines of a block CSR matrix (BlockCsr::set_lines: contiguous rows, as the
// orderings `line` and `line_X` give them), every other row by its diagonal block. Exact on the lines, nothing between
// them: block ILU(0) of the matrix that keeps, of A's blocks, the diagonal ones and those between neighbours on a line.
//   d_i = A_ii - A_i,i-1 d_{i-1}^-1 A_{i-1,i},   y_i = d_i^-1 (r_i - A_i,i-1 y_{i-1}),   z_i = y_i - d_i^-1 A_i,i+1 z_{i+1}
// Host threads take whole lines; Device: a launch for the k-th rows of all lines, short ends of long lines together.
#include <string>

#include "base/timer.hpp"
#include "solvers/matrix/row_error.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0_csr.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

template <class Space, class T>
class Line final : public Preconditioner<Space> {
 public:
  explicit Line(const BlockIluOptions& options)
      : Preconditioner<Space>({.keeps_symmetry = true, .takes_floats = true, .storage = stored_as<T>}),
        options_(options) {}

  SetupInfo setup(const Matrix<Space>& matrix) override {
    const BlockSparse<Space>& A = block_sparse(matrix);
    lines_ = static_cast<int>(A.lines().size());
    SetupInfo info;
    {
      const ScopedTimer timer(info.seconds);
      factors_ = std::make_unique<CsrIlu0<Space, T>>(A, options_, true);
    }
    const double symbolic = info.seconds;
    info = update(matrix);
    info.seconds += symbolic;
    return info;
  }

  SetupInfo update(const Matrix<Space>& matrix) override {
    const BlockSparse<Space>& A = block_sparse(matrix);
    if (!factors_ || !factors_->fits(A)) return setup(matrix);
    SetupInfo info;
    FailedCell row;
    {
      const ScopedTimer timer(info.seconds);
      row = factors_->factorise(A);
    }
    if (row >= 0)
      throw RowError(Exit::solver_failed, "line: the diagonal block of ", row, " became singular, or A has NaN or Inf");
    info.levels = factors_->levels();
    info.bytes = factors_->bytes();
    info.nnz = factors_->nnz();
    return info;
  }

  void apply(View<const double> r, View<double> z) const override { factors_->solve(r.data(), z.data()); }
  Work apply_work() const override { return factors_ ? factors_->solve_work() : Work{}; }
  Work update_work() const override { return factors_ ? factors_->factorise_work() : Work{}; }
  std::vector<PartOfApply<Space>> parts() const override {
    return factors_ ? factors_->parts() : std::vector<PartOfApply<Space>>{};
  }
  std::string describe() const override {
    return std::string("line") + (factors_ ? "(" + std::to_string(lines_) + " lines)" : "") +
           (std::is_same_v<T, float> ? ", single-precision factors" : "");
  }

 private:
  static const BlockSparse<Space>& block_sparse(const Matrix<Space>& A) {
    const auto* csr = dynamic_cast<const BlockSparse<Space>*>(&A);
    if (!csr) refuse_matrix("line", A);
    return *csr;
  }

  BlockIluOptions options_;
  int lines_ = 0;
  std::unique_ptr<CsrIlu0<Space, T>> factors_;
};

constexpr Option line_keys[] = {factor_storage, factor_pivoting};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_line(const Table& options) {
  const Table t = options.described_by(line_keys);
  BlockIluOptions o;
  o.pivoting = t.get<bool>("pivoting");
  if (t.get<std::string>("storage") == "float") return std::make_unique<Line<Space, float>>(o);
  return std::make_unique<Line<Space, double>>(o);
}

}  // namespace

constexpr PreconditionerDescription preconditioner::line{
    .name = "line",
    .meaning = "block tridiagonal solves along the lines of the ordering, diagonal blocks elsewhere",
    .citation = "Mavriplis 1998",
    .options = line_keys,
    .matrices = on_block_csr,
    .over_ranks = 0,
    .update_cost = 0.8,
    .divides_by = DividesBy::pivots,
    .bytes = block_ilu0_bytes,
    .make_host = make_line<Host>,
    .make_device = make_line<Device>};

}  // namespace weir
