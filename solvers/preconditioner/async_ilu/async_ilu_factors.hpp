// What a space does for async_ilu0 and async_block_ilu0.
#pragma once
#include "solvers/device/array.hpp"
#include "solvers/preconditioner/async_ilu/async_ilu.hpp"
#include "solvers/preconditioner/async_ilu/async_schedule.hpp"

namespace weir {
namespace async_ilu {

// L_ik U_kj, one of the products that a target (i, j) subtracts.
struct Product {
  int lower, upper;
};

// One kind of entry (strictly lower, diagonal, strictly upper), in the order of the rows.
struct Entries {
  const std::int64_t* start;     // rows + 1; null for the diagonal, which has one a row
  const int* column;             // null for the diagonal
  const std::int64_t* source;    // where its block starts in the values of A
  const std::int64_t* products;  // first product of each; one more at the end
};

// Blocks lie column by column; those of A row by row.
struct AsyncView {
  int rows = 0, n = 1;
  Entries lower, diagonal, upper;
  const Product* product;
  double *L, *U, *inverse;  // inverse: U_ii^-1
  const double* A;
  const double* scale;  // of each unknown, or null
  int* replaced;        // of a row: 1 where its U_ii was singular when last computed
};

// The pattern of the entries and all products: once a pattern, on the host.
struct AsyncPattern {
  int rows = 0, n = 1;
  std::vector<std::int64_t> lower_start{0}, upper_start{0};
  std::vector<int> lower_column, upper_column;
  std::vector<std::int64_t> lower_source, diagonal_source, upper_source;
  std::vector<std::int64_t> lower_products{0}, diagonal_products{0}, upper_products{0};
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

  void build(const BlockCsr<Space>& A, bool first, SetupInfo& info);  // and its time
  void sweep(const BlockCsr<Space>& A, int sweeps);
  void solve(const double* r, double* z);  // z may be r
  bool fits(const BlockCsr<Space>& A) const { return A.rows() == rows_ && A.blocks() == blocks_; }
  FactorObservation observe(const BlockCsr<Space>& A);  // async_ilu_observe.cpp
  std::int64_t bytes() const;
  Work solve_work() const, build_work() const;  // async_ilu_observe.cpp
  std::vector<double> to_values() const;
  void from_values(const std::vector<double>& values);

 private:
  AsyncFactors(const async_ilu::AsyncPattern& p, const BlockCsr<Space>& A, const AsyncIluOptions& options);
  async_ilu::AsyncView view(const BlockCsr<Space>* A, int slot);
  void start(const BlockCsr<Space>& A, bool first);
  void guess(const async_ilu::AsyncView& f);

  AsyncIluOptions options_;
  AsyncSchedule schedule_;
  int rows_, n_, size_;  // block rows, block and unknowns of the matrix
  int work_rows_, b_;    // rows and block of the entries
  std::int64_t blocks_;
  int slot_ = 0;                            // that holds the factors
  std::vector<double> stale_reads() const;  // of the rows of the entries, as prescribed
  std::vector<double> count_stale_reads();  // of threads that do not wait, on the host

  Array<std::int64_t, Space> lower_start_, upper_start_, lower_source_, diagonal_source_, upper_source_;
  Array<std::int64_t, Space> lower_products_, diagonal_products_, upper_products_;
  Array<int, Space> lower_column_, upper_column_, replaced_;
  Array<async_ilu::Product, Space> product_;
  Array<double, Space> L_, U_, inverse_;  // two slots each where asynchrony is prescribed
  Array<double, Space> scale_, y_, z_;
};

namespace async_ilu {

// The sweeps of threads that do not wait. Host: async_ilu_host.cpp. Device: async_ilu_device.cu.
bool needs_guess();  // Host: one thread reads nothing that it has not computed before
void guess_host(const AsyncView& f);
void sweep_host(const AsyncView& f, int sweeps, int chunk);
void solve_host(const AsyncView& f, int sweeps, int chunk, const double* r, double* y, double* z);
void sweep_device(const AsyncView& f, int sweeps);
void solve_device(const AsyncView& f, int sweeps, const double* r, double* y, double* z);

// The model; each space runs the same code. L, U, inverse, y and work have two slots, one after the other (lowers,
// uppers: blocks of L and U); the first sweep reads its initial guess from the second slot, sweep s writes slot s % 2.
template <class Space>
void sweep_prescribed(const AsyncView& f, const AsyncSchedule& schedule, std::int64_t lowers, std::int64_t uppers,
                      int sweeps);
template <class Space>
void solve_prescribed(const AsyncView& f, const AsyncSchedule& schedule, int sweeps, const double* r, double* y,
                      double* work, double* z);

// The initial guess from the entries of A; S from its diagonal; diagnostics.
template <class Space>
void guess(const AsyncView& f);
template <class Space>
void copy_factors(const AsyncView& from, const AsyncView& to, std::int64_t lowers, std::int64_t uppers);
template <class Space>
void find_scale(const AsyncView& f, double* scale);
template <class Space>
double fixed_point_residual(const AsyncView& f);  // |x - g(x)|_1
template <class Space>
double dominance_of_L(const AsyncView& f);
template <class Space>
double dominance_of_U(const AsyncView& f);
// The same of each row by itself.
template <class Space>
void measure_rows(const AsyncView& f, double* fixed_point, double* dominance_L, double* dominance_U);
template <class Space>
int count_replaced(const AsyncView& f);
void measure_rows_host(const AsyncView& f, double* fixed_point, double* dominance_L, double* dominance_U);
// The part of each row's reads in the last sweep each way that a sequential sweep would not make: by a solve of its own, with
// stamps on the rows (stamp, stale: of f.rows). An upper bound, to the time between two neighbouring loads.
void count_stale_reads_host(const AsyncView& f, int sweeps, int chunk, const double* r, double* y, double* z,
                            int* stamp, double* stale);

}  // namespace async_ilu
}  // namespace weir
