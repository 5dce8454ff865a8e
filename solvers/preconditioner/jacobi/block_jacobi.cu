// `block_jacobi`: z = D^-1 r, D the B x B diagonal blocks of A, inverted by Gauss-Jordan elimination with row pivoting.
// storage = "adaptive": each inverted block as half, bfloat16, float or double, the shortest that its condition number and
// its entries allow (rounded_blocks.hpp).
// setup: one thread a block, in place. apply: one thread a scalar row on the device, blocks of compile-time size on the
// host.
#include <string>

#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/block/block_limit.hpp"
#include "solvers/matrix/row_error.hpp"
#include "solvers/preconditioner/jacobi/block_invert.hpp"
#include "solvers/preconditioner/jacobi/rounded_blocks.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace block_jacobi {

// Inverts all blocks; returns the first singular one, or their number where there is none.
template <class Space>
int invert_all(int rows, int B, View<double> blocks) {
  const double last = max_abs<Space>(rows, [=] WEIR_HD(int i) {
    return invert(blocks.data() + static_cast<std::int64_t>(i) * B * B, B) ? 0.0 : static_cast<double>(rows - i);
  });
  return rows - static_cast<int>(last);
}

WEIR_HD inline double product_at(const View<const double>& inverse, int B, const View<const double>& r, int row) {
  const double* a = inverse.data() + static_cast<std::int64_t>(row) * B;
  const double* ri = r.data() + row / B * B;
  double s = 0;
  for (int c = 0; c < B; ++c) s += a[c] * ri[c];
  return s;
}
void apply(Device, View<const double> inverse, int B, View<const double> r, View<double> z) {
  for_each<Device>(r.size(), [=] WEIR_HD(int i) { z[i] = product_at(inverse, B, r, i); });
}
double apply_dot(View<const double> inverse, int B, View<const double> r, View<double> z) {
  return sum<Device>(r.size(), [=] WEIR_HD(int i) {
    const double v = product_at(inverse, B, r, i);
    z[i] = v;
    return v * r[i];
  });
}

}  // namespace block_jacobi

void throw_singular_block(int row, int block) {
  throw RowError(Exit::solver_failed, "block_jacobi: the diagonal block of ", row,
                 "block row " + std::to_string(row) + " (rows " + std::to_string(row * block) + " to " +
                     std::to_string(row * block + block - 1) + ")",
                 " is singular, or has NaN or Inf");
}

template <class Space>
class BlockJacobi : public Preconditioner<Space> {
 public:
  BlockJacobi() : Preconditioner<Space>({.keeps_symmetry = true, .takes_floats = true, .works_over_ranks = true}) {}
  SetupInfo do_setup(const Matrix<Space>& A) override {
    rows_ = A.rows();
    block_ = A.block();
    symmetric_ = A.is_symmetric();
    refuse_large_block(block_, largest_block, "block_jacobi");
    const std::int64_t entries = std::int64_t{rows_} * block_ * block_;
    if (inverse_.size() != entries) inverse_ = Array<double, Space>(entries);
    A.block_diagonal(inverse_);
    const int bad = block_jacobi::invert_all<Space>(rows_, block_, inverse_);
    if (bad < rows_) throw_singular_block(bad, block_);
    return {.nnz = inverse_.size(), .bytes = 8 * inverse_.size()};
  }
  void apply(View<const double> r, View<double> z) const override {
    block_jacobi::apply(Space{}, inverse_, block_, r, z);
  }
  double apply_dot(View<const double> r, View<double> z) const override {
    if constexpr (std::is_same_v<Space, Host>)
      return Preconditioner<Space>::apply_dot(r, z);
    else
      return block_jacobi::apply_dot(inverse_, block_, r, z);
  }
  bool is_symmetric() const override { return symmetric_; }
  Work apply_work() const override {
    return {8 * inverse_.size() + 16 * std::int64_t{rows_} * block_, 2 * inverse_.size()};
  }
  std::string describe() const override { return "block_jacobi(blocks of " + std::to_string(block_) + ")"; }

 private:
  int rows_ = 0, block_ = 1;
  bool symmetric_ = true;
  Array<double, Space> inverse_;
};

namespace {

constexpr Option block_jacobi_keys[] = {
    {"storage", Option::text, "double",
     "of the inverted blocks; adaptive: each in the shortest form that is accurate enough", "double | float | adaptive",
     "", "precision, factors, single=float"},
    {"accuracy", Option::number, "0.1", "adaptive: the bound on |J D - I|_1 of a stored block J", "(0, 1)"}};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_block_jacobi(const Table& options) {
  const Table t = options.described_by(block_jacobi_keys);
  const auto storage = t.get<std::string>("storage");
  if (storage == "double") return std::make_unique<BlockJacobi<Space>>();
  return make_rounded_block_jacobi<Space>(storage == "float" ? 0 : t.get<double>("accuracy"));
}

}  // namespace

constexpr PreconditionerDescription preconditioner::block_jacobi{
    .name = "block_jacobi",
    .meaning = "z = D^-1 r, D the inverted diagonal blocks",
    .citation = "Anzt, Dongarra, Flegar, Higham & Quintana-Orti 2019 (adaptive storage)",
    .options = block_jacobi_keys,
    .matrices = on_any_matrix,
    .over_ranks = on_any_matrix,
    .update_cost = 2,
    .divides_by = DividesBy::diagonal,
    .tried_with = "bicgstab",
    .bytes =
        [](const Table& options, const MatrixSize& A) {
          const bool doubles = options.described_by(block_jacobi_keys).get<std::string>("storage") == "double";
          return (doubles ? 8 : 4) * A.entries(A.rows);
        },
    .make_host = make_block_jacobi<Host>,
    .make_device = make_block_jacobi<Device>};

}  // namespace weir
