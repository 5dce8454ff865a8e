// setup: one thread a block, in place. apply: one thread a scalar row on the device, blocks of compile-time size on the
// host.
#include "solvers/preconditioner/block_jacobi.hpp"

#include <string>

#include "base/error.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/matrix/block_csr.hpp"
#include "solvers/timer.hpp"

namespace weir {
namespace block_jacobi_kernels {

// a = a^-1 for a row-major B x B block; false where a pivot vanishes against the largest entry of the block.
WEIR_HD inline bool invert(double* a, int B) {
  int swapped[64];
  double largest = 0;
  for (int e = 0; e < B * B; ++e) {
    const double size = a[e] < 0 ? -a[e] : a[e];
    if (!(size <= 1e300)) return false;
    largest = size > largest ? size : largest;
  }
  const double smallest = 1e-16 * B * largest;  // below this a pivot is what rounding leaves of a zero
  for (int c = 0; c < B; ++c) {
    int p = c;
    double best = -1;
    for (int r = c; r < B; ++r) {
      const double size = a[r * B + c] < 0 ? -a[r * B + c] : a[r * B + c];
      if (size > best) {
        best = size;
        p = r;
      }
    }
    if (!(best > smallest)) return false;
    swapped[c] = p;
    for (int k = 0; k < B && p != c; ++k) {
      const double t = a[c * B + k];
      a[c * B + k] = a[p * B + k];
      a[p * B + k] = t;
    }
    const double inverse = 1 / a[c * B + c];
    a[c * B + c] = 1;
    for (int k = 0; k < B; ++k) a[c * B + k] *= inverse;
    for (int r = 0; r < B; ++r) {
      if (r == c) continue;
      const double f = a[r * B + c];
      a[r * B + c] = 0;
      for (int k = 0; k < B; ++k) a[r * B + k] -= f * a[c * B + k];
    }
  }
  // Row exchanges of the block are column exchanges of its inverse, undone backwards.
  for (int c = B - 1; c >= 0; --c)
    for (int r = 0; r < B && swapped[c] != c; ++r) {
      const double t = a[r * B + c];
      a[r * B + c] = a[r * B + swapped[c]];
      a[r * B + swapped[c]] = t;
    }
  return true;
}

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
void apply(View<const double> inverse, int B, View<const double> r, View<double> z) {
  for_each<Device>(static_cast<int>(r.size()), [=] WEIR_HD(int i) { z[i] = product_at(inverse, B, r, i); });
}
double apply_dot(View<const double> inverse, int B, View<const double> r, View<double> z) {
  return sum<Device>(static_cast<int>(r.size()), [=] WEIR_HD(int i) {
    const double v = product_at(inverse, B, r, i);
    z[i] = v;
    return v * r[i];
  });
}

}  // namespace block_jacobi_kernels

template <class Space>
class BlockJacobi : public Preconditioner<Space> {
 public:
  SetupInfo setup(const Matrix<Space>& A) override {
    SetupInfo info;
    {
      ScopedTimer timer(info.seconds);
      rows_ = A.rows();
      block_ = A.block();
      symmetric_ = A.is_symmetric();
      if (block_ > largest_block)
        throw Error(Exit::usage, "block_jacobi: blocks of " + std::to_string(block_) + " are larger than 64");
      const std::int64_t entries = std::int64_t{rows_} * block_ * block_;
      if (inverse_.size() != entries) inverse_ = Array<double, Space>(entries);
      A.block_diagonal(inverse_);
      const int bad = block_jacobi_kernels::invert_all<Space>(rows_, block_, inverse_);
      if (bad < rows_)
        throw Error(Exit::solver_failed, "block_jacobi: the diagonal block of block row " + std::to_string(bad) +
                                             " (rows " + std::to_string(bad * block_) + " to " +
                                             std::to_string(bad * block_ + block_ - 1) + ") is singular or not finite");
    }
    info.nnz = inverse_.size();
    info.bytes = 8 * inverse_.size();
    return info;
  }
  void apply(View<const double> r, View<double> z) const override {
    if constexpr (std::is_same_v<Space, Host>)
      block_jacobi_host::apply(inverse_.data(), rows_, block_, r.data(), z.data());
    else
      block_jacobi_kernels::apply(inverse_, block_, r, z);
  }
  double apply_dot(View<const double> r, View<double> z) const override {
    if constexpr (std::is_same_v<Space, Host>)
      return Preconditioner<Space>::apply_dot(r, z);
    else
      return block_jacobi_kernels::apply_dot(inverse_, block_, r, z);
  }
  bool is_symmetric() const override { return symmetric_; }
  bool works_over_ranks() const override { return true; }
  Work apply_work() const override {
    return {8 * inverse_.size() + 16 * std::int64_t{rows_} * block_, 2 * inverse_.size()};
  }
  std::string describe() const override { return "block_jacobi(blocks of " + std::to_string(block_) + ")"; }

 private:
  int rows_ = 0, block_ = 1;
  bool symmetric_ = true;
  Array<double, Space> inverse_;
};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_block_jacobi(const Table&) {
  return std::make_unique<BlockJacobi<Space>>();
}
template std::unique_ptr<Preconditioner<Host>> make_block_jacobi<Host>(const Table&);
template std::unique_ptr<Preconditioner<Device>> make_block_jacobi<Device>(const Table&);

}  // namespace weir
