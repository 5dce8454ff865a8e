// Asynchronous incomplete factorisation and triangular solves on block CSR (Kashi & Nadarajah 2020; Chow & Patel 2015).
//   L_ij = (A_ij - sum_{k < j} L_ik U_kj) U_jj^-1   (i > j)                                   (18), one sweep visits
//   U_ij =  A_ij - sum_{k < i} L_ik U_kj            (i <= j)     all (i, j) in the pattern     every row once
//   y_i = r_i - sum_j L_ij y_j,   z_i = U_ii^-1 (y_i - sum_j U_ij z_j)                        algorithm 5, from zeros
// Threads fetch chunks of rows in the order of elimination and read whatever the others have stored so far, old or new,
// without synchronisation, also between sweeps. On one thread a sweep is the sequential algorithm.
//  async_block_ilu0   entries are the blocks of the matrix; a work item is a block row
//  async_ilu0         entries are the scalars of the same pattern; a work item is a scalar row
// The result depends on timing: it needs fgmres. A diagonal block that becomes singular is replaced by a multiple of
// the identity (the modified iteration of section 4.2) and counted.
//
// Device, free: one thread per row, one launch per sweep.
#pragma once
#include <cmath>
#include <cstdint>
#include <memory>

#include "solvers/device/array.hpp"
#include "solvers/device/space.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

struct AsyncIluOptions {
  bool scalar = false;
  int build_sweeps = 1, apply_sweeps = 1;
  int chunk = 384;
  bool from_previous = false, scaling = false, diagnostics = false;
  bool prescribed = false;
  std::uint64_t seed = 1;
  int delay = 8, lanes = 16;
};

// Prescribed asynchrony: a seeded model of what threads and memory do, with which asynchronous iterations repeat bit
// for bit. In terms of Kashi & Nadarajah 2020, section 3.1:
//  update function u(j): at step j `lanes` rows are updated, one per lane. Lanes draw chunks of consecutive rows in
//    the order of the loop and pass through them side by side; a sweep has T steps;
//  shift functions s(j): row i reads at step j the value of row k after step j - 1 - s, with s in 0 .. delay drawn by
//    a hash of the seed, j, i and k.
// One lane and no delay is the sequential algorithm. A delay is less than T, so that a value is at most two updates
// old: two slots, written in turn, hold all values that can be read, and no step writes a slot that the same step
// reads.
struct AsyncSchedule {
  int rows = 0, chunk = 1, lanes = 1, delay = 0;
  std::uint64_t seed = 1;

  WEIR_HD int steps() const {
    const int strip = lanes * chunk, whole = rows / strip, rest = rows % strip;
    return whole * chunk + (rest < chunk ? rest : chunk);
  }
  // The row that a lane updates at a step of a sweep; at least `rows`: none.
  WEIR_HD int row(int step, int lane) const { return step / chunk * lanes * chunk + lane * chunk + step % chunk; }
  WEIR_HD int step_of(int row) const { return row / (lanes * chunk) * chunk + row % chunk; }

  WEIR_HD int shift(std::int64_t j, int reader, int source) const {
    if (delay == 0) return 0;
    std::uint64_t h = seed + 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(j);
    h = (h ^ (static_cast<std::uint64_t>(reader) << 32 | static_cast<std::uint64_t>(source))) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 31)) * 0x94d049bb133111ebu;
    h ^= h >> 29;
    const int T = steps(), most = delay < T ? delay : T - 1;
    return static_cast<int>(h % static_cast<std::uint64_t>(most + 1));
  }
  // The sweep whose value of `source` is read by `reader`, updated at this step of this sweep; -1: the initial guess.
  WEIR_HD int sweep_read(int sweep, int step, int reader, int source) const {
    const int T = steps();
    const std::int64_t j = std::int64_t{sweep} * T + step, last = j - 1 - shift(j, reader, source);
    int s = sweep;
    while (s >= 0 && std::int64_t{s} * T + step_of(source) > last) --s;
    return s;
  }
  // The slot of that value. The initial guess is in slot 1 (sweep -1).
  WEIR_HD int slot(int sweep, int step, int reader, int source) const {
    return sweep_read(sweep, step, reader, source) & 1;
  }
};

namespace async_ilu {

// L_ik U_kj, one of the products that a target (i, j) subtracts.
struct Product {
  int lower, upper;
};

// Entries of one kind (strictly lower, diagonal or strictly upper), in the order of the rows.
struct Entries {
  const std::int64_t* start = nullptr;     // rows + 1; null for the diagonal, one entry per row
  const int* column = nullptr;             // null for the diagonal
  const std::int64_t* source = nullptr;    // start of the block in the values of A
  const std::int64_t* products = nullptr;  // first product of each; one more at the end
};
struct EntryLists {
  std::vector<std::int64_t> start{0}, source, products{0};
  std::vector<int> column;
};
template <class Space>
struct EntryArrays {
  explicit EntryArrays(const EntryLists& lists)
      : start(lists.start), source(lists.source), products(lists.products), column(lists.column) {}
  Entries view() const { return {start.data(), column.data(), source.data(), products.data()}; }
  std::int64_t count() const { return source.size(); }
  std::int64_t bytes() const { return 8 * (start.size() + source.size() + products.size()) + 4 * column.size(); }

  Array<std::int64_t, Space> start, source, products;
  Array<int, Space> column;
};

// Blocks are stored column by column, those of A row by row.
struct AsyncView {
  int rows = 0, n = 1;
  Entries lower = {}, diagonal = {}, upper = {};
  const Product* product = nullptr;
  double *L = nullptr, *U = nullptr, *inverse = nullptr;  // inverse: U_ii^-1
  const double* A = nullptr;
  const double* scale = nullptr;  // per unknown, or null
  int* replaced = nullptr;        // per row: 1 if its U_ii was singular when last computed
};

// Pattern of the entries and all products, once per pattern, on the host.
struct AsyncPattern {
  int rows = 0, n = 1;
  EntryLists lower, diagonal, upper;
  std::vector<Product> product;

  template <class Space>
  AsyncPattern(const BlockCsr<Space>& A, bool scalar);

 private:
  void add_entries(int row, const std::vector<int>& column, const std::vector<std::int64_t>& source);
  void find_products();
};

}  // namespace async_ilu

template <class Space>
class AsyncFactors {
 public:
  AsyncFactors(const BlockCsr<Space>& A, const AsyncIluOptions& options);

  SetupInfo build(const BlockCsr<Space>& A, bool first);
  void sweep(const BlockCsr<Space>& A, int sweeps);
  void solve(const double* r, double* z);  // z may be r
  bool fits(const BlockCsr<Space>& A) const { return A.rows() == rows_ && A.blocks() == blocks_; }
  FactorObservation observe(const BlockCsr<Space>& A);   // async_ilu_pattern.cpp
  FactorObservation measured(const BlockCsr<Space>& A);  // without stale reads
  std::int64_t bytes() const;
  Work solve_work() const, build_work() const;  // async_ilu_pattern.cpp
  void state(Archive& a);

 private:
  AsyncFactors(const async_ilu::AsyncPattern& p, const BlockCsr<Space>& A, const AsyncIluOptions& options);
  async_ilu::AsyncView view(const BlockCsr<Space>* A, int slot);
  void start(const BlockCsr<Space>& A, bool first);

  AsyncIluOptions options_;
  AsyncSchedule schedule_;
  int rows_, n_, size_;  // block rows, block and unknowns of the matrix
  int work_rows_, b_;    // rows and block of the entries
  std::int64_t blocks_;
  int slot_ = 0;                            // slot of the factors
  std::vector<double> stale_reads() const;  // prescribed; by row of the entries
  std::vector<double> count_stale_reads();  // free, counted on the host

  async_ilu::EntryArrays<Space> lower_, diagonal_, upper_;
  Array<async_ilu::Product, Space> product_;
  Array<int, Space> replaced_;
  Array<double, Space> L_, U_, inverse_;  // two slots each if asynchrony is prescribed
  Array<double, Space> scale_, y_, z_;
};

template <class Space>
class AsyncIlu final : public Preconditioner<Space> {
 public:
  explicit AsyncIlu(const AsyncIluOptions& options)
      : Preconditioner<Space>(
            {.is_constant = false, .repeats = options.prescribed, .remembers = options.from_previous}),
        options_(options) {}

  void save(Archive& to) override {
    if (options_.from_previous && factors_) factors_->state(to);
  }
  void restore(const Matrix<Space>& A, Archive& from) override;
  void apply(View<const double> r, View<double> z) const override { factors_->solve(r.data(), z.data()); }
  // Not stated for prescribed asynchrony, which is a model.
  Work apply_work() const override { return factors_ && !options_.prescribed ? factors_->solve_work() : Work{}; }
  Work update_work() const override { return factors_ && !options_.prescribed ? factors_->build_work() : Work{}; }
  FactorObservation observe() const override { return factors_->observe(*A_); }
  std::string describe() const override;

  AsyncFactors<Space>& factors() const { return *factors_; }  // for tests

 private:
  // Error(usage): A is no BlockCsr, or a row (named) has no diagonal block.
  SetupInfo do_setup(const Matrix<Space>& A) override;
  SetupInfo do_update(const Matrix<Space>& A) override;
  void make_factors(const Matrix<Space>& A);

  AsyncIluOptions options_;
  const BlockCsr<Space>* A_ = nullptr;
  std::unique_ptr<AsyncFactors<Space>> factors_;
};

namespace async_ilu {

// Free sweeps. Host: async_ilu_host.cpp. Device: async_ilu_device.cu.
bool needs_guess();  // host: false on one thread, which reads only what it has computed
void sweep_host(const AsyncView& f, int sweeps, int chunk);
void solve_host(const AsyncView& f, int sweeps, int chunk, const double* r, double* y, double* z);
void sweep_device(const AsyncView& f, int sweeps);
void solve_device(const AsyncView& f, int sweeps, const double* r, double* y, double* z);

// Prescribed sweeps, one code for both spaces. L, U, inverse, y and work have two slots, one after the other (lowers,
// uppers: blocks of L and U); the first sweep reads its initial guess from the second slot, sweep s writes slot s % 2.
template <class Space>
void sweep_prescribed(const AsyncView& f, const AsyncSchedule& schedule, std::int64_t lowers, std::int64_t uppers,
                      int sweeps);
template <class Space>
void solve_prescribed(const AsyncView& f, const AsyncSchedule& schedule, int sweeps, const double* r, double* y,
                      double* work, double* z);

// Initial guess from the entries of A; S from its diagonal; diagnostics.
template <class Space>
void guess(const AsyncView& f);
template <class Space>
void copy_factors(const AsyncView& from, const AsyncView& to, std::int64_t lowers, std::int64_t uppers);
template <class Space>
void find_scale(const AsyncView& f, double* scale);
// |x - g(x)|_1 and the dominances (FactorObservation) of each row.
template <class Space>
void measure_rows(const AsyncView& f, double* fixed_point, double* dominance_L, double* dominance_U);
template <class Space>
int count_replaced(const AsyncView& f);
// Fraction of the reads of each row in the last sweep each way that a sequential sweep would not make, counted by a
// separate solve with stamps on the rows (stamp, stale: one per row). An upper bound.
void count_stale_reads_host(const AsyncView& f, int sweeps, int chunk, const double* r, double* y, double* z,
                            int* stamp, double* stale);

// One row of (18) and of algorithm 5 by one thread in either space. `Access` defines what is read of other rows and
// where results are stored: current values, values of a schedule, or plain memory.
//
// A block is formed in registers and stored once, complete. Partial sums in memory would be no values of the iteration:
// the paper saw much slower convergence (end of section 3.3), and the theory does not cover it.
//
// Every multiplication is an explicit fma, so that both spaces round alike.
inline constexpr int largest_block = 8;

// C -= A B
WEIR_HD inline void subtract(int n, double* C, const double* A, const double* B) {
  for (int v = 0; v < n; ++v)
    for (int u = 0; u < n; ++u) {
      double s = C[v * n + u];
      for (int w = 0; w < n; ++w) s = fma(-A[w * n + u], B[v * n + w], s);
      C[v * n + u] = s;
    }
}
// C = A B
WEIR_HD inline void multiply(int n, double* C, const double* A, const double* B) {
  for (int v = 0; v < n; ++v)
    for (int u = 0; u < n; ++u) {
      double s = 0;
      for (int w = 0; w < n; ++w) s = fma(A[w * n + u], B[v * n + w], s);
      C[v * n + u] = s;
    }
}

// d <- d^-1 without pivoting, or a multiple of the identity if d is singular (modified iteration); false if replaced.
WEIR_HD inline bool invert_or_replace(int n, double* d) {
  double size = 0;
  for (int e = 0; e < n * n; ++e) size = fmax(size, fabs(d[e]));
  bool usable = true;
  for (int r = 0; r < n; ++r) {
    const double pivot = d[r * n + r], inverse = 1 / pivot;
    usable = usable && pivot != 0 && inverse - inverse == 0 && pivot - pivot == 0;
    d[r * n + r] = 1;
    for (int v = 0; v < n; ++v) d[v * n + r] = d[v * n + r] * inverse;
    for (int u = 0; u < n; ++u) {
      if (u == r) continue;
      const double factor = d[r * n + u];
      d[r * n + u] = 0;
      for (int v = 0; v < n; ++v) d[v * n + u] = fma(-factor, d[v * n + r], d[v * n + u]);
    }
  }
  if (usable) return true;
  const double one = size > 0 && size - size == 0 ? 1 / size : 1;
  for (int e = 0; e < n * n; ++e) d[e] = e % (n + 1) == 0 ? one : 0;
  return false;
}

// A block of A, column by column, scaled if f.scale is set.
WEIR_HD inline void load_entry(const AsyncView& f, std::int64_t source, int i, int j, double* block) {
  const int n = f.n;
  for (int v = 0; v < n; ++v)
    for (int u = 0; u < n; ++u) {
      const double a = f.A[source + u * n + v];
      block[v * n + u] = f.scale ? a * f.scale[i * n + u] * f.scale[j * n + v] : a;
    }
}

// target e of a row = A_ij - sum of products
template <int Cap, class Access>
WEIR_HD void form_target(const AsyncView& f, const Access& at, const Entries& entries, std::int64_t e, int i, int j,
                         double* block) {
  double l[Cap * Cap], u[Cap * Cap];
  load_entry(f, entries.source[e], i, j, block);
  for (std::int64_t p = entries.products[e]; p < entries.products[e + 1]; ++p) {
    at.load_L(f.product[p].lower, l);
    at.load_U(f.product[p].upper, f.lower.column[f.product[p].lower], u);
    subtract(f.n, block, l, u);
  }
}

template <int Cap, class Access>
WEIR_HD void sweep_row(const AsyncView& f, const Access& at, int i) {
  double block[Cap * Cap], inverse[Cap * Cap], product[Cap * Cap];
  for (std::int64_t e = f.lower.start[i]; e < f.lower.start[i + 1]; ++e) {
    const int j = f.lower.column[e];
    form_target<Cap>(f, at, f.lower, e, i, j, block);
    at.load_inverse(j, inverse);
    multiply(f.n, product, block, inverse);
    at.store_L(e, product);
  }
  form_target<Cap>(f, at, f.diagonal, i, i, i, block);
  f.replaced[i] = invert_or_replace(f.n, block) ? 0 : 1;
  at.store_inverse(i, block);
  for (std::int64_t e = f.upper.start[i]; e < f.upper.start[i + 1]; ++e) {
    form_target<Cap>(f, at, f.upper, e, i, f.upper.column[e], block);
    at.store_U(e, block);
  }
}

// sum = sum - sum_j T_ij x_j
template <int Cap, class Access>
WEIR_HD void subtract_row(const AsyncView& f, const Access& at, const Entries& entries, const double* T, int i,
                          double* sum) {
  const int n = f.n;
  double x[Cap];
  for (std::int64_t e = entries.start[i]; e < entries.start[i + 1]; ++e) {
    at.load_vector(entries.column[e], x);
    for (int v = 0; v < n; ++v)
      for (int u = 0; u < n; ++u) sum[u] = fma(-T[e * n * n + v * n + u], x[v], sum[u]);
  }
}

template <int Cap, class Access>
WEIR_HD void forward_row(const AsyncView& f, const Access& at, int i, const double* r) {
  double sum[Cap];
  for (int u = 0; u < f.n; ++u) sum[u] = f.scale ? r[i * f.n + u] * f.scale[i * f.n + u] : r[i * f.n + u];
  subtract_row<Cap>(f, at, f.lower, f.L, i, sum);
  at.store_vector(i, sum);
}

template <int Cap, class Access>
WEIR_HD void backward_row(const AsyncView& f, const Access& at, int i, const double* y) {
  const int n = f.n;
  double sum[Cap], z[Cap];
  for (int u = 0; u < n; ++u) sum[u] = y[i * n + u];
  subtract_row<Cap>(f, at, f.upper, f.U, i, sum);
  for (int u = 0; u < n; ++u) {
    z[u] = 0;
    for (int v = 0; v < n; ++v) z[u] = fma(f.inverse[(std::int64_t{i} * n + v) * n + u], sum[v], z[u]);
  }
  at.store_vector(i, z);
}

}  // namespace async_ilu
}  // namespace weir
