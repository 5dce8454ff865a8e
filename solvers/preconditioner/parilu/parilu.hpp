// ParILU and ParILUT on block CSR: incomplete factors by fixed-point sweeps, and a pattern that follows the size of the
// entries (Anzt, Ribizel, Flegar, Chow & Dongarra 2019; Anzt, Chow & Dongarra 2018; Chow & Patel 2015).
//   L_ij = (A_ij - sum_{k < j} L_ik U_kj) U_jj^-1   (i > j)                              (2), (3): one sweep visits
//   U_ij =  A_ij - sum_{k < i} L_ik U_kj            (i <= j),    (i, j) in the pattern S    every entry of S once
//   F = (A - L U) \ S                                                                    (5): candidates
// The paper gives U the unit diagonal; here L has it, so that its thresholds act on ratios and those of U on entries of A.
//   parilu    S = the pattern of A, and stays: tends to ILU(0)
//   parilut   S changes: each step adds all candidates, sweeps, drops what is smallest, sweeps (ParIluFactors::iterate).
//             Blocks count by their Frobenius norms.
//
// schedule = "asynchronous": threads read what the others have stored so far, old or new. Host: rows in the order of
// elimination, so that one sweep on one thread is the exact factorisation on S. The result depends on timing, except on one
// Host thread. "synchronous": a sweep reads what the sweep before has left: repeats bit for bit, on any number of threads;
// takes more sweeps.
// A diagonal block that comes out singular is replaced by a multiple of the identity and counted. Blocks: up to 64 x 64
// (asynchronous solves: 8 x 8).
#pragma once
#include <array>
#include <memory>

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

// What one step did. Stage times are wall-clock seconds; `solves` is what preparing the triangular solves takes.
// grow: candidates and add in one pass; keep: remove and the last sweep in one (one Host thread, n = 1).
enum class ParIluStage { candidates, residual, add, sweeps, select, remove, solves, grow, keep };
inline constexpr int parilu_stages = 9;
const char* to_string(ParIluStage stage);
using ParIluTimes = std::array<double, parilu_stages>;

struct ParIlutStep {
  std::int64_t candidates = 0, lower = 0, upper = 0;  // blocks: of F, and of L and U (without diagonals) at the end
  double residual = -1;                               // |A - L U| outside of S / |A|, at the start of the step
  double threshold_L = 0, threshold_U = 0;            // 0: nothing was dropped
  ParIluTimes seconds{};
};

template <class Space>
class ParIluFactors;  // parilu_factors.hpp

template <class Space>
class ParIlu final : public Preconditioner<Space> {
 public:
  explicit ParIlu(const ParIluOptions& options);
  ~ParIlu() override;

  // Error(usage): A is no BlockCsr, its blocks are too large for asynchronous solves, or a row has no diagonal block (named).
  SetupInfo do_setup(const Matrix<Space>& A) override;
  SetupInfo do_update(const Matrix<Space>& A) override;
  void save(Archive& to) override;
  void restore(const Matrix<Space>& A, Archive& from) override;
  void apply(View<const double> r, View<double> z) const override;
  Work apply_work() const override;
  std::string describe() const override;
  std::string report() const override;

  const std::vector<ParIlutStep>& steps() const;  // of the last setup or update
  ParIluTimes times() const;                      // of all its steps, and what came before and after them

  // For tests: L and U with the diagonal of U, blocks row by row.
  BlockCsrData factors() const;
  void set_factors(const std::vector<double>& values);  // as in factors().value
  void sweep();

 private:
  ParIluOptions options_;
  const BlockCsr<Space>* A_ = nullptr;
  std::unique_ptr<ParIluFactors<Space>> factors_;
};

}  // namespace weir
