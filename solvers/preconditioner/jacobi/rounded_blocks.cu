// setup, update: one thread a block. apply: on the device one thread a scalar row, which reads its block's row out of columns, so
// that neighbouring threads read neighbouring entries; on the host see rounded_blocks_host.cpp.
#include "solvers/preconditioner/jacobi/rounded_blocks.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/error.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/distributed/distributed_matrix.hpp"
#include "solvers/matrix/algorithms/prefix_sum.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/block/block_limit.hpp"
#include "solvers/preconditioner/jacobi/block_invert.hpp"

namespace weir {
namespace block_jacobi {

using Places = std::uint32_t*;

// The largest sum of a column's sizes, and the largest entry.
WEIR_HD inline double one_norm(const double* a, int B, double* largest = nullptr) {
  double norm = 0, most = 0;
  for (int c = 0; c < B; ++c) {
    double s = 0;
    for (int r = 0; r < B; ++r) {
      const double size = a[r * B + c] < 0 ? -a[r * B + c] : a[r * B + c];
      s += size;
      most = size > most ? size : most;
    }
    norm = s > norm ? s : norm;
  }
  if (largest) *largest = most;
  return norm;
}

// Rounding two entries that should be the same may part them further: they are made the same before.
WEIR_HD inline void make_symmetric(double* a, int B) {
  for (int r = 0; r < B; ++r)
    for (int c = 0; c < r; ++c) a[r * B + c] = a[c * B + r] = 0.5 * (a[r * B + c] + a[c * B + r]);
}

// a = a^-1; false where that does not exist. kind: how it may be stored; accuracy 0: as floats, whatever they make of it.
WEIR_HD inline bool invert_and_choose(double* a, int B, bool symmetric, double accuracy, StoredAs& kind) {
  BlockNorms norms;
  if (accuracy > 0) norms.of_block = one_norm(a, B);
  if (!invert(a, B)) return false;
  if (symmetric) make_symmetric(a, B);
  kind = StoredAs::float32;
  if (accuracy == 0) return true;
  norms.of_inverse = one_norm(a, B, &norms.largest);
  kind = precision_of(B, norms, accuracy);
  return true;
}

// The diagonal blocks of n rows; zeros where the pattern has none.
template <class Space>
void copy_diagonal(const BlockCsrView& A, int first, int n, double* blocks) {
  const int entries = A.block * A.block;
  for_each<Space>(n, [=] WEIR_HD(int i) {
    const std::int64_t from = A.diagonal[first + i];
    for (int e = 0; e < entries; ++e)
      blocks[static_cast<std::int64_t>(i) * entries + e] = from < 0 ? 0 : A.value[from * entries + e];
  });
}

// Inverts n blocks and notes their kinds, where `kinds` is not null; returns the first singular one, or n.
template <class Space>
int invert_all(int n, int B, bool symmetric, double accuracy, double* blocks, Places kinds) {
  const double last = max_abs<Space>(n, [=] WEIR_HD(int i) {
    StoredAs kind = StoredAs::float64;
    const bool good = invert_and_choose(blocks + static_cast<std::int64_t>(i) * B * B, B, symmetric, accuracy, kind);
    if (kinds) kinds[i] = static_cast<std::uint32_t>(kind);
    return good ? 0.0 : static_cast<double>(n - i);
  });
  return n - static_cast<int>(last);
}

template <class Space>
bool are_of_kinds(int n, const std::uint32_t* place, const std::uint32_t* kinds) {
  return max_abs<Space>(n, [=] WEIR_HD(int i) { return (place[i] & 3u) == kinds[i] ? 0.0 : 1.0; }) == 0;
}

// Widths of 2, 4, 8 bytes: 0, 1, 2.
WEIR_HD inline int width_of(std::uint32_t place) {
  const auto kind = static_cast<StoredAs>(place & 3u);
  return kind == StoredAs::float64 ? 2 : kind == StoredAs::float32 ? 1 : 0;
}
template <class Space>
void count(int n, int width, Places place, int* is_one) {
  for_each<Space>(n, [=] WEIR_HD(int i) { is_one[i] = width_of(place[i]) == width; });
}
template <class Space>
void number(int n, int width, std::int64_t before, const std::int64_t* start, Places place) {
  for_each<Space>(n, [=] WEIR_HD(int i) {
    if (width_of(place[i]) == width) place[i] |= static_cast<std::uint32_t>(before + start[i]) << 2;
  });
}

template <class T>
WEIR_HD inline void store_columns(const double* a, int B, T* to) {
  for (int c = 0; c < B; ++c)
    for (int r = 0; r < B; ++r) to[c * B + r] = T(a[r * B + c]);
}
struct Store {
  const double* a;
  int B;
  template <class T>
  WEIR_HD void operator()(const T* to) const {
    store_columns(a, B, const_cast<T*>(to));
  }
};
template <class Space>
void store(int first, int n, const double* blocks, RoundedBlocks m) {
  for_each<Space>(n, [=] WEIR_HD(int i) {
    with_entries(m, first + i, Store{blocks + static_cast<std::int64_t>(i) * m.block * m.block, m.block});
  });
}

struct RowTimes {
  const double* x;
  int B, u;
  template <class T>
  WEIR_HD double operator()(const T* a) const {
    double s = 0;
    for (int c = 0; c < B; ++c) s += static_cast<double>(a[c * B + u]) * x[c];
    return s;
  }
};
WEIR_HD inline double product_at(const RoundedBlocks& m, const View<const double>& r, int row) {
  const int i = row / m.block, u = row % m.block;
  return with_entries(m, i, RowTimes{r.data() + (row - u), m.block, u});
}
void apply(Device, RoundedBlocks m, View<const double> r, View<double> z) {
  for_each<Device>(r.size(), [=] WEIR_HD(int i) { z[i] = product_at(m, r, i); });
}
double apply_dot(RoundedBlocks m, View<const double> r, View<double> z) {
  return sum<Device>(r.size(), [=] WEIR_HD(int i) {
    const double v = product_at(m, r, i);
    z[i] = v;
    return v * r[i];
  });
}

}  // namespace block_jacobi

// accuracy 0: floats.
template <class Space>
class RoundedBlockJacobi final : public Preconditioner<Space> {
 public:
  explicit RoundedBlockJacobi(double accuracy)
      : Preconditioner<Space>({.keeps_symmetry = true, .works_over_ranks = true, .storage = StoredAs::float32}),
        accuracy_(accuracy) {}

  SetupInfo do_setup(const Matrix<Space>& A) override {
    allocate(A);
    return do_update(A);
  }
  SetupInfo do_update(const Matrix<Space>& A) override {
    if (A.rows() != rows_ || A.block() != block_) return do_setup(A);
    symmetric_ = A.is_symmetric();
    if (!has_places_ || !store_in_place(A)) {
      choose_places(A);
      store(A);
    }
    return {.nnz = std::int64_t{rows_} * block_ * block_,
            .bytes = 2 * two_.size() + 4 * four_.size() + 8 * eight_.size() + 4 * place_.size() +
                     8 * (scratch_.size() + start_.size()) + 4 * (is_one_.size() + kinds_.size())};
  }

  void apply(View<const double> r, View<double> z) const override { block_jacobi::apply(Space{}, view(), r, z); }
  double apply_dot(View<const double> r, View<double> z) const override {
    if constexpr (std::is_same_v<Space, Host>)
      return Preconditioner<Space>::apply_dot(r, z);
    else
      return block_jacobi::apply_dot(view(), r, z);
  }
  bool is_symmetric() const override { return symmetric_; }
  Work apply_work() const override {
    const std::int64_t entries = std::int64_t{block_} * block_;
    return {(2 * blocks_[0] + 4 * blocks_[1] + 8 * blocks_[2]) * entries + 4 * place_.size() +
                16 * std::int64_t{rows_} * block_,
            2 * rows_ * entries};
  }
  std::vector<StoredAs> storage_of_rows() const override {
    std::vector<StoredAs> kinds;
    for (const std::uint32_t place : place_.to_vector()) kinds.push_back(static_cast<StoredAs>(place & 3u));
    return kinds;
  }
  std::string describe() const override {
    const std::string blocks = "block_jacobi(blocks of " + std::to_string(block_) + ", ";
    if (!is_adaptive()) return blocks + "float)";
    return blocks + "adaptive precision: accuracy " + std::to_string(accuracy_) + ")";
  }

 private:
  // Rows inverted at a time: the scratch array is a sixteenth of what doubles would take, at most 8 MB.
  static int stretch_of(int rows, int block) {
    constexpr int fewest = 256, most_entries = 1 << 20;
    return std::min(rows, std::max(fewest, std::min(rows / 16, most_entries / (block * block))));
  }

  // Of the other kinds of matrix all diagonal blocks are there at once, or none.
  static const BlockCsr<Space>* block_csr_of(const Matrix<Space>& A) {
    const auto* spread = dynamic_cast<const DistributedMatrix<Space>*>(&A);
    return dynamic_cast<const BlockCsr<Space>*>(spread ? &spread->local() : &A);
  }

  bool is_adaptive() const { return accuracy_ > 0; }
  RoundedBlocks view() const { return {rows_, block_, place_.data(), two_.data(), four_.data(), eight_.data()}; }

  void allocate(const Matrix<Space>& A) {
    rows_ = A.rows();
    block_ = A.block();
    refuse_large_block(block_, largest_block, "block_jacobi");
    if (rows_ >= 1 << 30) throw Error(Exit::usage, "block_jacobi: adaptive precision numbers at most 2^30 block rows");
    stretch_ = block_csr_of(A) ? stretch_of(rows_, block_) : rows_;
    scratch_ = Array<double, Space>(std::int64_t{stretch_} * block_ * block_);
    place_ = Array<std::uint32_t, Space>(is_adaptive() ? rows_ : 0);
    has_places_ = false;
    kinds_ = Array<std::uint32_t, Space>(is_adaptive() ? stretch_ : 0);
    is_one_ = Array<int, Space>(is_adaptive() ? stretch_ : 0);
    start_ = Array<std::int64_t, Space>(is_adaptive() ? stretch_ + 1 : 0);
    two_ = Array<std::uint16_t, Space>();
    four_ = Array<float, Space>();
    eight_ = Array<double, Space>();
  }
  template <class T>
  static void reserve(Array<T, Space>& array, std::int64_t entries) {
    if (entries <= array.size()) return;
    array = Array<T, Space>();  // the old one goes before the new one comes
    array = Array<T, Space>(entries);
  }

  // f(first, n) for each stretch of rows.
  template <class F>
  void for_each_stretch(const F& f) {
    for (int first = 0; first < rows_; first += stretch_) f(first, std::min(stretch_, rows_ - first));
  }
  void invert(const Matrix<Space>& A, int first, int n, std::uint32_t* kinds) {
    if (const BlockCsr<Space>* csr = block_csr_of(A))
      block_jacobi::copy_diagonal<Space>(csr->view(), first, n, scratch_.data());
    else
      A.block_diagonal(scratch_);
    const int bad = block_jacobi::invert_all<Space>(n, block_, symmetric_, accuracy_, scratch_.data(), kinds);
    if (bad < n) throw_singular_block(first + bad, block_);
  }
  // As long as no block changes its kind, each stays where it is; false: one did, and what is stored is of no use.
  bool store_in_place(const Matrix<Space>& A) {
    bool is_same = true;
    for_each_stretch([&](int first, int n) {
      if (!is_same) return;
      invert(A, first, n, kinds_.data());
      is_same = !is_adaptive() || block_jacobi::are_of_kinds<Space>(n, place_.data() + first, kinds_.data());
      if (is_same) block_jacobi::store<Space>(first, n, scratch_.data(), view());
    });
    return is_same;
  }

  void choose_places(const Matrix<Space>& A) {
    has_places_ = false;
    blocks_ = {0, is_adaptive() ? 0 : rows_, 0};
    if (is_adaptive()) for_each_stretch([&](int first, int n) { choose(A, first, n, place_.data() + first); });
    const std::int64_t entries = std::int64_t{block_} * block_;
    reserve(two_, entries * blocks_[0]);
    reserve(four_, entries * blocks_[1]);
    reserve(eight_, entries * blocks_[2]);
    has_places_ = true;
  }
  void choose(const Matrix<Space>& A, int first, int n, std::uint32_t* place) {
    invert(A, first, n, place);
    for (int width = 0; width < 3; ++width) {
      block_jacobi::count<Space>(n, width, place, is_one_.data());
      const std::int64_t more = scan_(is_one_.data(), n, start_.data());
      block_jacobi::number<Space>(n, width, blocks_[width], start_.data(), place);
      blocks_[width] += more;
    }
  }
  // A single stretch still stands inverted in the scratch array.
  void store(const Matrix<Space>& A) {
    for_each_stretch([&](int first, int n) {
      if (!is_adaptive() || stretch_ < rows_) invert(A, first, n, nullptr);
      block_jacobi::store<Space>(first, n, scratch_.data(), view());
    });
  }

  double accuracy_;
  int rows_ = 0, block_ = 1, stretch_ = 0;
  bool symmetric_ = true, has_places_ = false;
  std::array<std::int64_t, 3> blocks_{};  // of each width
  Array<std::uint32_t, Space> place_, kinds_;
  Array<std::uint16_t, Space> two_;
  Array<float, Space> four_;
  Array<double, Space> eight_;
  Array<double, Space> scratch_;
  Array<int, Space> is_one_;
  Array<std::int64_t, Space> start_;
  PrefixSum<Space> scan_;
};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_rounded_block_jacobi(double accuracy) {
  return std::make_unique<RoundedBlockJacobi<Space>>(accuracy);
}
template std::unique_ptr<Preconditioner<Host>> make_rounded_block_jacobi(double);
template std::unique_ptr<Preconditioner<Device>> make_rounded_block_jacobi(double);

}  // namespace weir
