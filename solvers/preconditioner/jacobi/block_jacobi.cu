// `block_jacobi`: z = D^-1 r, D the B x B diagonal blocks of A, inverted by Gauss-Jordan elimination with row pivoting.
// Set-up: one thread per block, in double. apply: one thread per scalar row on the device, blocks of compile-time size
// on the host (block_jacobi_host.cpp). storage = "float" keeps the inverted blocks as floats, column by column.
#include <string>

#include "base/error.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/block/block_limit.hpp"
#include "solvers/matrix/row_error.hpp"
#include "solvers/preconditioner/jacobi/block_invert.hpp"
#include "solvers/preconditioner/jacobi/block_jacobi.hpp"
#include "solvers/preconditioner/jacobi/diagonal_blocks.hpp"
#include "solvers/preconditioner/preconditioner.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace block_jacobi {

// Inverts all blocks; returns the first singular one, or their number if there is none.
template <class Space>
int invert_all(int rows, int B, View<double> blocks) {
  const double last = max_abs<Space>(rows, [=] WEIR_HD(int i) {
    return invert(blocks.data() + static_cast<std::int64_t>(i) * B * B, B) ? 0.0 : static_cast<double>(rows - i);
  });
  return rows - static_cast<int>(last);
}

// Blocks as floats, column by column. Two entries that should be equal are made equal first: rounding may part them.
template <class Space>
void round_all(int B, bool symmetric, View<const double> blocks, View<float> to) {
  for_each<Space>(static_cast<int>(blocks.size() / B / B), [=] WEIR_HD(int i) {
    const std::int64_t first = static_cast<std::int64_t>(i) * B * B;
    const double* a = blocks.data() + first;
    for (int c = 0; c < B; ++c)
      for (int r = 0; r < B; ++r) {
        const int lower = r > c ? r * B + c : c * B + r, upper = r > c ? c * B + r : r * B + c;
        to[first + c * B + r] = static_cast<float>(symmetric ? 0.5 * (a[lower] + a[upper]) : a[r * B + c]);
      }
  });
}

WEIR_HD inline double product_at(const View<const double>& inverse, int B, const View<const double>& r, int row) {
  const double* a = inverse.data() + static_cast<std::int64_t>(row) * B;
  const double* ri = r.data() + row / B * B;
  double s = 0;
  for (int c = 0; c < B; ++c) s += a[c] * ri[c];
  return s;
}
WEIR_HD inline double product_at(const View<const float>& inverse, int B, const View<const double>& r, int row) {
  const int u = row % B, first = row - u;
  const float* a = inverse.data() + static_cast<std::int64_t>(first) * B + u;
  double s = 0;
  for (int c = 0; c < B; ++c) s += static_cast<double>(a[c * B]) * r[first + c];
  return s;
}
template <class T>
void apply(Device, View<const T> inverse, int B, View<const double> r, View<double> z) {
  for_each<Device>(r.size(), [=] WEIR_HD(int i) { z[i] = product_at(inverse, B, r, i); });
}
template <class T>
double apply_dot(View<const T> inverse, int B, View<const double> r, View<double> z) {
  return sum<Device>(r.size(), [=] WEIR_HD(int i) {
    const double v = product_at(inverse, B, r, i);
    z[i] = v;
    return v * r[i];
  });
}

}  // namespace block_jacobi

// T: storage of the inverted blocks.
template <class Space, class T>
class BlockJacobi final : public Preconditioner<Space> {
 public:
  BlockJacobi()
      : Preconditioner<Space>(
            {.keeps_symmetry = true, .takes_floats = true, .works_over_ranks = true, .storage = stored_as<T>}) {}
  SetupInfo do_setup(const Matrix<Space>& A) override {
    rows_ = A.rows();
    block_ = A.block();
    symmetric_ = A.is_symmetric();
    refuse_large_block(block_, largest_block, "block_jacobi");
    const std::int64_t block_entries = std::int64_t{block_} * block_, entries = rows_ * block_entries;
    if (inverse_.size() != entries) inverse_ = Array<T, Space>(entries);
    if constexpr (stores_doubles) {
      A.block_diagonal(0, inverse_);
      invert(0, inverse_);
    } else {
      for_diagonal_blocks(A, part_, [&](int first, View<double> blocks) {
        invert(first, blocks);
        block_jacobi::round_all<Space>(block_, symmetric_, blocks,
                                       inverse_.view().part(first * block_entries, blocks.size()));
      });
    }
    return {.nnz = entries, .bytes = static_cast<std::int64_t>(sizeof(T)) * inverse_.size() + 8 * part_.size()};
  }
  void apply(View<const double> r, View<double> z) const override {
    block_jacobi::apply(Space{}, inverse_.view(), block_, r, z);
  }
  double apply_dot(View<const double> r, View<double> z) const override {
    if constexpr (std::is_same_v<Space, Host>)
      return Preconditioner<Space>::apply_dot(r, z);
    else
      return block_jacobi::apply_dot(inverse_.view(), block_, r, z);
  }
  bool is_symmetric() const override { return symmetric_; }
  Work apply_work() const override {
    const std::int64_t value = sizeof(T);
    return {value * inverse_.size() + 16 * std::int64_t{rows_} * block_, 2 * inverse_.size()};
  }
  std::string describe() const override {
    return "block_jacobi(blocks of " + std::to_string(block_) + (stores_doubles ? ")" : ", float)");
  }

 private:
  static constexpr bool stores_doubles = std::is_same_v<T, double>;
  void invert(int first, View<double> blocks) const {  // of the block rows from `first` on
    const int rows = static_cast<int>(blocks.size() / block_ / block_);
    const int bad = block_jacobi::invert_all<Space>(rows, block_, blocks), row = first + bad;
    if (bad < rows)
      throw RowError(Exit::solver_failed, "block_jacobi: the diagonal block of ", row,
                     "block row " + std::to_string(row) + " (rows " + std::to_string(row * block_) + " to " +
                         std::to_string(row * block_ + block_ - 1) + ")",
                     " is singular, or has NaN or Inf");
  }

  int rows_ = 0, block_ = 1;
  bool symmetric_ = true;
  Array<T, Space> inverse_;
  Array<double, Space> part_;  // floats are rounded from a part of the blocks
};

namespace {

constexpr Option block_jacobi_keys[] = {{"storage", Option::text, "double", "storage of the inverted blocks",
                                         "double | float", "", "precision, factors, single=float"}};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_block_jacobi(const Table& options) {
  if (options.described_by(block_jacobi_keys).get<std::string>("storage") == "float")
    return std::make_unique<BlockJacobi<Space, float>>();
  return std::make_unique<BlockJacobi<Space, double>>();
}

}  // namespace

constexpr PreconditionerDescription preconditioner::block_jacobi{
    .name = "block_jacobi",
    .meaning = "z = D^-1 r, D the inverted diagonal blocks",
    .citation = "",
    .options = block_jacobi_keys,
    .matrices = on_any_matrix,
    .over_ranks = on_any_matrix,
    .update_cost = 2,
    .divides_by = DividesBy::diagonal,
    .tried_with = "bicgstab",
    .bytes =
        [](const Table& options, const MatrixSize& A) {
          const bool doubles = options.described_by(block_jacobi_keys).get<std::string>("storage") == "double";
          return (doubles ? 8 : 4 + 8 * diagonal_blocks_share) * A.entries(A.rows);
        },
    .make_host = make_block_jacobi<Host>,
    .make_device = make_block_jacobi<Device>};

}  // namespace weir
