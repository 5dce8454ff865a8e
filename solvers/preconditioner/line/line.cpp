#include "solvers/preconditioner/line/line.hpp"

#include <string>

#include "solvers/matrix/block/block_rows.hpp"
#include "solvers/matrix/row_error.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0_csr.hpp"
#include "solvers/preconditioner/storage.hpp"
#include "base/timer.hpp"

namespace weir {
namespace {

template <class Space, class T>
class Line final : public Preconditioner<Space>, public TellsStorage {
 public:
  explicit Line(const BlockIluOptions& options) : options_(options) {}

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
  bool is_symmetric() const override { return true; }  // of a symmetric A
  bool takes_floats() const override { return true; }
  Work apply_work() const override { return factors_ ? factors_->solve_work() : Work{}; }
  Work update_work() const override { return factors_ ? factors_->factorise_work() : Work{}; }
  std::vector<PartOfApply<Space>> parts() const override {
    return factors_ ? factors_->parts() : std::vector<PartOfApply<Space>>{};
  }
  StoredAs storage() const override { return stored_as<T>; }
  std::string describe() const override {
    return std::string("line") + (factors_ ? "(" + std::to_string(lines_) + " lines)" : "") +
           (std::is_same_v<T, float> ? ", single-precision factors" : "");
  }

 private:
  static const BlockSparse<Space>& block_sparse(const Matrix<Space>& A) {
    const auto* csr = dynamic_cast<const BlockSparse<Space>*>(&A);
    if (!csr) refuse_matrix("line", "a block CSR matrix", A);
    return *csr;
  }

  BlockIluOptions options_;
  int lines_ = 0;
  std::unique_ptr<CsrIlu0<Space, T>> factors_;
};

}  // namespace

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_line(const Table& options) {
  BlockIluOptions o;
  o.pivoting = options.get("pivoting", false);
  if (options.choice("factors", {"double", "float"}, "double") == "float")
    return std::make_unique<Line<Space, float>>(o);
  return std::make_unique<Line<Space, double>>(o);
}

template std::unique_ptr<Preconditioner<Host>> make_line<Host>(const Table&);
template std::unique_ptr<Preconditioner<Device>> make_line<Device>(const Table&);

}  // namespace weir
