// ParILU and ParILUT on block CSR: incomplete factors by fixed-point sweeps, on a fixed pattern or on one that follows
// the size of the entries (Anzt, Ribizel, Flegar, Chow & Dongarra 2019; Anzt, Chow & Dongarra 2018; Chow & Patel 2015).
//  L_ij = (A_ij - sum_{k < j} L_ik U_kj) U_jj^-1   (i > j)                              (2), (3): one sweep visits
//  U_ij =  A_ij - sum_{k < i} L_ik U_kj            (i <= j),    (i, j) in the pattern S    every entry of S once
//  F = (A - L U) \ S                                                                    (5): candidates
// The paper gives U the unit diagonal; here L has it: its thresholds act on ratios, those of U on entries of A.
//  parilu    S = the pattern of A, fixed: converges to ILU(0)
//  parilut   each step adds all candidates to S, sweeps, drops the smallest entries, sweeps (ParIluFactors::iterate).
//            Blocks are compared by their Frobenius norms.
//
// schedule = "asynchronous": threads read what the others have stored so far, old or new. Host: rows in the order of
// elimination, so that one sweep on one thread is the exact factorisation on S. The result depends on timing, except on
// one host thread. "synchronous": a sweep reads the values of the previous sweep: repeats bit for bit on any number of
// threads, and needs more sweeps. A singular diagonal block is replaced by a multiple of the identity and counted.
// Blocks: up to 64 x 64 (asynchronous solves: 8 x 8).
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <optional>

#include "solvers/device/launch.hpp"
#include "solvers/matrix/algorithms/prefix_sum.hpp"
#include "solvers/matrix/algorithms/sample_select.hpp"
#include "solvers/matrix/algorithms/triangular.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

struct ParIluOptions {
  bool thresholds = true;  // parilut
  int steps = 3, sweeps = 1, update_steps = 1, apply_sweeps = 3;
  double fill = 1;
  bool exact_thresholds = false, synchronous = false, from_previous = false, asynchronous_solves = false;
  bool diagnostics = false;
};

// Statistics of one step. Stage times are wall-clock seconds; `solves`: preparation of the triangular solves; grow:
// candidates and add in one pass; keep: remove and the last sweep in one (one host thread, n = 1).
enum class ParIluStage { candidates, residual, add, sweeps, select, remove, solves, grow, keep };
inline constexpr int parilu_stages = 9;
const char* to_string(ParIluStage stage);
using ParIluTimes = std::array<double, parilu_stages>;

struct ParIlutStep {
  std::int64_t candidates = 0, lower = 0, upper = 0;  // blocks of F, and of L and U
  double residual = -1;                     // |A - L U| outside of S, relative to |A|, at the start of the step
  double threshold_L = 0, threshold_U = 0;  // 0: nothing dropped
  ParIluTimes seconds{};
};

namespace parilu {

inline constexpr int largest_parilu_block = 64;

// Entries of a triangle without its diagonal, row by row, columns ascending; blocks column by column. entries_behind
// more may be read after the last one: the host reads several at a time.
inline constexpr int entries_behind = 4;
struct RowsView {
  std::int64_t* start = nullptr;  // rows + 1
  int* column = nullptr;
  double* value = nullptr;
};

template <class Space>
struct Rows {
  GrowingArray<std::int64_t, Space> start;
  GrowingArray<int, Space> column;
  GrowingArray<double, Space> value;
  std::int64_t count = 0;

  RowsView view() const { return {start.data(), column.data(), value.data()}; }
  void reserve(std::int64_t entries, int n) {
    count = entries;
    column.reserve(entries + entries_behind);
    value.reserve((entries + entries_behind) * n * n);
  }
  std::int64_t bytes() const { return start.bytes() + column.bytes() + value.bytes(); }
};

struct FactorsView {
  int rows = 0, n = 1;
  RowsView lower, upper;
  double* inverse = nullptr;  // U_ii^-1
  int* replaced = nullptr;    // per row: 1 if its U_ii was singular when last computed
};

// Work space. Host, per thread: a value (or the place of a block) per column, and the list of candidates of a row.
// Device: position of each stream of a row in the merge.
template <class Space>
struct Work {
  GrowingArray<int, Space> lower_count, upper_count;  // per row
  GrowingArray<double, Space> row_sum;                // per row
  GrowingArray<double, Space> value;
  GrowingArray<int, Space> place;
  std::vector<std::vector<int>> list;
  std::vector<std::uint64_t> bits;
  PrefixSum<Space> prefix_sum;
};

// Host: parilu_host.cpp. Device: parilu_device.cu.
// F = (pattern of A - L U) \ (pattern of L and U): the pattern, sorted.
template <class Space>
void find_candidates(const BlockCsrView& A, const FactorsView& f, Rows<Space>& lower, Rows<Space>& upper,
                     Work<Space>& work);
// F_ij = (A - L U)_ij.
template <class Space>
void residual(const BlockCsrView& A, const FactorsView& f, const RowsView& lower, const RowsView& upper,
              Work<Space>& work);
// One sweep of (2) and (3) from the values of `in` into those of `out`; if they are the same, asynchronously.
template <class Space>
void sweep(const BlockCsrView& A, const FactorsView& in, const FactorsView& out, Work<Space>& work);

// Steps on one host thread, n = 1: parilu_host.cpp. `S`: the pattern and the inverses of the result.
void grow_in_order(const BlockCsrView& A, const FactorsView& S, Rows<Host>& lower, Rows<Host>& upper, Work<Host>& work);
// lower, upper = the entries of S whose norm is at least the threshold, with L and U on that pattern if `sweeps`.
struct Kept {
  const double* norm;
  double threshold;  // 0: keep all
};
void keep_in_order(const BlockCsrView& A, const FactorsView& S, const Kept& L, const Kept& U, bool sweeps,
                   Rows<Host>& lower, Rows<Host>& upper, Work<Host>& work);

// Both spaces: parilu_pattern.cu.
// L_ij = A_ij A_jj^-1, U_ij = A_ij on A's own pattern.
template <class Space>
void guess(const BlockCsrView& A, const FactorsView& f);
template <class Space>
void copy_pattern(int rows, const Rows<Space>& from, int n, Rows<Space>& to);
template <class Space>
double norm_of_rows(int rows, int n, const RowsView& lower, const RowsView& upper);  // Frobenius
template <class Space>
double norm_of_matrix(const BlockCsrView& A);
// out = S u F; F_ij is multiplied by scale[j] if not null (L gets F_ij U_jj^-1).
template <class Space>
void add(int rows, int n, const RowsView& s, const RowsView& F, const double* scale, Rows<Space>& out);
template <class Space>
void norms(const RowsView& s, std::int64_t count, int n, double* norm);
template <class Space>
std::int64_t count_up_to(double bound, const double* norm, std::int64_t count);  // norms of at most the bound
// out = the entries of S whose norm is at least the threshold.
template <class Space>
void remove(int rows, int n, const RowsView& s, const double* norm, double threshold, Rows<Space>& out,
            Work<Space>& work);
template <class Space>
int count_replaced(const FactorsView& f);
// T = S, or U_ii^-1 S_ij if `inverse` is not null; U_ii^-1 then goes to `scale`, by position.
template <class Space>
void fill_triangle(const RowsView& s, const double* inverse, const TriangleView<double>& t, double* scale);

struct ScalarStep;  // parilu_scalar.hpp

}  // namespace parilu

template <class Space>
class ParIluFactors {
 public:
  ParIluFactors(const BlockCsr<Space>& A, const ParIluOptions& options);
  ~ParIluFactors();

  // stop_if_asked() is called between the parts and throws to cancel the set-up.
  SetupInfo build(const BlockCsr<Space>& A, bool first, std::function<void()> stop_if_asked);
  void sweeps(const BlockCsr<Space>& A, int count);
  void solve(const double* r, double* z);
  weir::Work solve_work() const;
  bool fits(const BlockCsr<Space>& A) const;
  std::int64_t bytes() const;
  std::int64_t entries() const { return (lower_.count + upper_.count + rows_) * n_ * n_; }
  const std::vector<ParIlutStep>& steps() const { return steps_; }  // steps of the last set-up or update
  ParIluTimes times() const;  // sums over all steps, with the parts before and after them
  void state(Archive& a);

 private:
  parilu::FactorsView view();
  void start(const BlockCsr<Space>& A);
  void iterate(const BlockCsr<Space>& A);
  bool in_order() const;
  void iterate_in_order(const BlockCsr<Space>& A, bool last);
  void grow(const BlockCsr<Space>& A);
  void keep(const BlockCsr<Space>& A, bool sweeps);
  void record_step();
  void find_candidates(const BlockCsr<Space>& A);
  void residual(const BlockCsr<Space>& A);
  void add_candidates();
  void select_thresholds();
  double threshold_of(const parilu::Rows<Space>& rows, GrowingArray<double, Space>& norm, std::int64_t most);
  void remove_smallest();
  void prepare_solves();
  void measure_matrix(const BlockCsr<Space>& A);
  void sweep(const BlockCsr<Space>& A, const parilu::FactorsView& in, const parilu::FactorsView& out);
  int finish_steps();
  int levels(bool first);
  TriangularRows host_pattern(const parilu::Rows<Space>& rows) const;
  // Device, n = 1: parilu_scalar_steps.cpp.
  void iterate_scalar(const BlockCsr<Space>& A);
  bool grow_scalar(const BlockCsr<Space>& A);
  void keep_scalar();
  void look();
  void solve_scalar(const double* r, double* z);

  ParIluOptions options_;
  std::function<void()> stop_if_asked_ = [] {};
  int rows_, n_, threads_ = 1, levels_ = 0;
  std::int64_t blocks_, most_lower_, most_upper_;  // of A; most blocks kept of L and U
  double norm_of_A_ = 0;
  bool new_pattern_ = true, from_initial_ = false;
  std::vector<ParIlutStep> steps_;
  ParIlutStep outside_;           // sweeps before the steps, and diagnostics
  ParIlutStep* now_ = &outside_;  // current step
  ParIluTimes apart_;             // stages outside of steps
  parilu::Rows<Space> initial_lower_, initial_upper_;
  parilu::Rows<Space> lower_, upper_, next_lower_, next_upper_, F_lower_, F_upper_;
  GrowingArray<double, Space> inverse_, next_inverse_, norm_lower_, norm_upper_;
  Array<int, Space> replaced_;
  parilu::Work<Space> work_;
  SampleSelect<Space> select_;
  std::optional<UnitTriangle<Space, double>> lower_triangle_, upper_triangle_;
  Array<double, Space> scale_, y_;
  std::unique_ptr<parilu::ScalarStep> scalar_;  // Device, n = 1
};

template <class Space>
class ParIlu final : public Preconditioner<Space> {
 public:
  explicit ParIlu(const ParIluOptions& options)
      : Preconditioner<Space>({.is_constant = !options.asynchronous_solves,
                               .repeats = options.synchronous && !options.asynchronous_solves,
                               .remembers = options.from_previous}),
        options_(options) {}

  void save(Archive& to) override {
    if (options_.from_previous && factors_) factors_->state(to);
  }
  void restore(const Matrix<Space>& A, Archive& from) override;
  void apply(View<const double> r, View<double> z) const override { factors_->solve(r.data(), z.data()); }
  Work apply_work() const override { return factors_ ? factors_->solve_work() : Work{}; }
  std::string describe() const override;
  std::string report() const override;

  ParIluFactors<Space>& factors() const { return *factors_; }  // for tests and measurements

 private:
  // Error(usage): A is no BlockCsr, its blocks are too large for asynchronous solves, or a row (named) has no diagonal
  // block.
  SetupInfo do_setup(const Matrix<Space>& A) override;
  SetupInfo do_update(const Matrix<Space>& A) override;

  ParIluOptions options_;
  const BlockCsr<Space>* A_ = nullptr;
  std::unique_ptr<ParIluFactors<Space>> factors_;
};

}  // namespace weir
