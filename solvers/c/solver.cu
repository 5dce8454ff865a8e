#include "solvers/c/solver.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/matrix/facts.hpp"

namespace weir::c {

namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(Exit::usage, message); }

template <class T>
std::vector<T> on_host(const T* from, std::int64_t n, bool on_device) {
  std::vector<T> to(static_cast<std::size_t>(n));
  if (on_device)
    backend::copy_to_host(to.data(), from, n * static_cast<std::int64_t>(sizeof(T)));
  else
    std::copy(from, from + n, to.begin());
  return to;
}

// y = A x by a function of the caller's.
template <class Space>
class CallbackMatrix : public Matrix<Space> {
 public:
  CallbackMatrix(int size, std::uint32_t flags, weir_operator apply, void* context)
      : size_(size), flags_(flags), apply_(apply), context_(context) {}
  int rows() const override { return size_; }
  bool is_symmetric() const override { return flags_ & WEIR_SYMMETRIC; }
  bool has_constant_null_space() const override { return flags_ & WEIR_CONSTANT_NULL_SPACE; }
  void apply(View<const double> x, View<double> y) const override {
    if (const int code = apply_(context_, x.data(), y.data()))
      throw Error(Exit::solver_failed, "the operator returned " + std::to_string(code));
  }
  void residual(View<const double> b, View<const double> x, View<double> r) const override {
    if (r.data() != b.data()) {
      apply(x, r);
    } else {  // in place
      if (product_.size() != size_) product_ = Array<double, Space>(size_);
      apply(x, product_);
    }
    const double* y = r.data() != b.data() ? r.data() : product_.data();
    for_each<Space>(size_, [r, b, y] WEIR_HD(std::int64_t i) { r[i] = b[i] - y[i]; });
  }
  void block_diagonal(int, View<double>) const override {
    refuse("an operator without a matrix has no diagonal: pass a matrix for the preconditioner (near)");
  }
  Work apply_work() const override { return {}; }

 private:
  int size_;
  std::uint32_t flags_;
  weir_operator apply_;
  void* context_;
  mutable Array<double, Space> product_;
};

template <class Space>
class SolverOf final : public AnySolver {
 public:
  SolverOf(const std::string& options, std::function<bool()> is_cancelled)
      : options_(options), is_cancelled_(std::move(is_cancelled)) {
    solver_ = make();
  }

  void setup(BlockCsrData data) override {
    operator_.reset();
    begin(data);
    data_ = std::move(data);
  }
  void setup_operator(std::int64_t size, std::uint32_t flags, weir_operator apply, void* context,
                      const BlockCsrData* near) override {
    operator_ = std::make_unique<CallbackMatrix<Space>>(static_cast<int>(size), flags, apply, context);
    data_ = {};
    if (near) return begin(*near);
    matrix_.reset();
    solver_ = make();
    solver_->setup(*operator_);
  }
  void update(std::vector<double> values) override {
    matrix_->update(values);
    data_.value = std::move(values);
    transposed_.reset();
    solver_->update(*matrix_);
  }
  SolveResult solve(bool is_transposed, const double* b, double* x) override {
    LinearSolver<Space>& solver = is_transposed ? transposed() : *solver_;
    const Matrix<Space>& A = is_transposed ? *transposed_matrix_ : matrix();
    last_ = &solver;
    return solver.solve(A, View<const double>(b, A.size()), View<double>(x, A.size()));
  }
  void apply(bool is_transposed, const double* r, double* z) override {
    LinearSolver<Space>& solver = is_transposed ? transposed() : *solver_;
    const int n = matrix().size();
    solver.preconditioner().apply(View<const double>(r, n), View<double>(z, n));
  }
  SetupInfo info() const override { return solver_->setup_info(); }
  const std::vector<double>& history() const override { return (last_ ? last_ : solver_.get())->krylov().history(); }
  std::string describe() const override { return solver_->describe(); }

 private:
  std::unique_ptr<LinearSolver<Space>> make() const {
    const Table table = read_case_text(options_, "options");
    KrylovOptions defaults;
    defaults.history = true;
    defaults.strict = true;
    auto solver = std::make_unique<LinearSolver<Space>>(table, "gmres", "block_ilu0", defaults);
    table.refuse_unknown();
    solver->stop_when(is_cancelled_);
    return solver;
  }
  void begin(const BlockCsrData& data) {
    transposed_.reset();
    last_ = nullptr;
    auto matrix = std::make_unique<BlockCsr<Space>>(data);
    auto solver = make();
    solver->setup(*matrix);
    matrix_ = std::move(matrix);
    solver_ = std::move(solver);
  }
  const Matrix<Space>& matrix() const {
    if (operator_) return *operator_;
    if (!matrix_) refuse("no matrix yet: call weir_setup first");
    return *matrix_;
  }
  // A preconditioner of A^T is the transpose of that of A for all whose pattern and ordering follow from a symmetric pattern.
  LinearSolver<Space>& transposed() {
    matrix();
    if (operator_) refuse("an operator without a matrix cannot be transposed");
    if (!transposed_) {
      transposed_matrix_ = std::make_unique<BlockCsr<Space>>(c::transposed(data_));
      auto solver = make();
      solver->setup(*transposed_matrix_);
      transposed_ = std::move(solver);
    }
    return *transposed_;
  }

  std::string options_;
  std::function<bool()> is_cancelled_;
  BlockCsrData data_;
  std::unique_ptr<BlockCsr<Space>> matrix_, transposed_matrix_;
  std::unique_ptr<CallbackMatrix<Space>> operator_;
  std::unique_ptr<LinearSolver<Space>> solver_, transposed_;
  LinearSolver<Space>* last_ = nullptr;
};

template <class Index>
void read_row_start(const weir_csr& A, bool on_device, std::vector<std::int64_t>& to) {
  const std::int64_t base = A.flags & WEIR_ONE_BASED ? 1 : 0;
  for (const Index start : on_host(static_cast<const Index*>(A.row_start), A.rows + 1, on_device))
    to.push_back(start - base);
}

}  // namespace

BlockCsrData read(const weir_csr& A) {
  const bool on_device = A.flags & WEIR_ON_DEVICE;
  if (A.rows < 1 || A.rows > 2147483647) refuse("rows is " + std::to_string(A.rows) + "; expected 1 to 2147483647");
  if (A.block < 1 || A.block > largest_block)
    refuse("block is " + std::to_string(A.block) + "; expected 1 to " + std::to_string(largest_block));
  if (A.rows * A.block > 2147483647) refuse("more than 2147483647 unknowns");
  if (A.row_start_bits != 32 && A.row_start_bits != 64)
    refuse("row_start_bits is " + std::to_string(A.row_start_bits) + "; expected 32 or 64");
  if (!A.row_start || !A.column || !A.value) refuse("row_start, column or value is a null pointer");
  BlockCsrData data;
  data.block = A.block;
  A.row_start_bits == 32 ? read_row_start<std::int32_t>(A, on_device, data.row_start)
                         : read_row_start<std::int64_t>(A, on_device, data.row_start);
  // Before an array is read as far as row_start says.
  if (data.row_start.front() != 0) refuse("row_start[0] is not the first index");
  for (std::int64_t i = 0; i < A.rows; ++i)
    if (data.row_start[i + 1] < data.row_start[i]) refuse("row_start decreases at row " + std::to_string(i));
  const std::int64_t blocks = data.row_start.back();
  data.column = on_host(A.column, blocks, on_device);
  if (A.flags & WEIR_ONE_BASED)
    for (int& column : data.column) --column;
  for (std::int64_t i = 0; i < A.rows; ++i)
    for (std::int64_t e = data.row_start[i]; e < data.row_start[i + 1]; ++e) {
      const int column = data.column[e];
      if (column < 0 || column >= A.rows)
        refuse("column " + std::to_string(column) + " in row " + std::to_string(i) + " of " + std::to_string(A.rows) +
               " rows");
      if (e > data.row_start[i] && column <= data.column[e - 1])
        refuse(std::string(column == data.column[e - 1] ? "duplicate column " : "columns do not ascend: column ") +
               std::to_string(column) + " in row " + std::to_string(i));
    }
  data.value = read_values(A, blocks, A.value);
  const bool is_given = A.flags & WEIR_FACTS_GIVEN;
  data.symmetric = is_given ? A.flags & WEIR_SYMMETRIC : is_symmetric(data);
  data.constant_null_space = is_given ? A.flags & WEIR_CONSTANT_NULL_SPACE : has_constant_null_space(data);
  return data;
}

std::vector<double> read_values(const weir_csr& A, std::int64_t blocks, const double* value) {
  const std::int64_t B = A.block;
  std::vector<double> to = on_host(value, blocks * B * B, A.flags & WEIR_ON_DEVICE);
  for (std::size_t i = 0; i < to.size(); ++i)
    if (!std::isfinite(to[i]))
      throw Error(Exit::not_finite, "value[" + std::to_string(i) + "] of the matrix is not finite");
  if (A.flags & WEIR_COLUMN_MAJOR && B > 1)
    for (std::int64_t e = 0; e < blocks; ++e)
      for (std::int64_t r = 0; r < B; ++r)
        for (std::int64_t c = r + 1; c < B; ++c) std::swap(to[(e * B + r) * B + c], to[(e * B + c) * B + r]);
  return to;
}

BlockCsrData transposed(const BlockCsrData& A) {
  const int rows = A.rows(), B = A.block;
  BlockCsrData T;
  T.block = B;
  T.symmetric = A.symmetric;
  T.constant_null_space = A.constant_null_space;
  T.row_start.assign(static_cast<std::size_t>(rows) + 1, 0);
  for (const int column : A.column) ++T.row_start[column + 1];
  for (int i = 0; i < rows; ++i) T.row_start[i + 1] += T.row_start[i];
  T.column.resize(A.column.size());
  T.value.resize(A.value.size());
  std::vector<std::int64_t> next(T.row_start.begin(), T.row_start.end() - 1);
  for (int i = 0; i < rows; ++i)
    for (std::int64_t e = A.row_start[i]; e < A.row_start[i + 1]; ++e) {
      const std::int64_t to = next[A.column[e]]++;
      T.column[to] = i;
      for (int r = 0; r < B; ++r)
        for (int c = 0; c < B; ++c) T.value[(to * B + c) * B + r] = A.value[(e * B + r) * B + c];
    }
  return T;
}

template <class Space>
std::unique_ptr<AnySolver> make_solver(const std::string& options, std::function<bool()> is_cancelled) {
  return std::make_unique<SolverOf<Space>>(options, std::move(is_cancelled));
}
template std::unique_ptr<AnySolver> make_solver<Host>(const std::string&, std::function<bool()>);
template std::unique_ptr<AnySolver> make_solver<Device>(const std::string&, std::function<bool()>);

}  // namespace weir::c
