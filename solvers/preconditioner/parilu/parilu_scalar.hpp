// A step of ParILUT on the device for scalar entries. Counts and thresholds stay there; the host reads them once where
// the grown pattern needs memory, and once at the end.
//  count_grown, fill_grown    S u F with L, U and the residual F = (A - L U) \ S: candidates, residual and add in one
//  sweep_scalar               (2) and (3)
//  find_thresholds            by SampleSelect, approximately
//  count_kept, copy_kept      removal of the entries below the thresholds
// Rows that do not fit in the shared memory of a team (parilu_teams.hpp) take the general kernels.
#pragma once
#include "solvers/matrix/algorithms/ordered_solve.hpp"
#include "solvers/matrix/algorithms/prefix_sum.hpp"
#include "solvers/preconditioner/parilu/parilu.hpp"

namespace weir::parilu {

// Lengths of the rows of a pattern: entries of L, the diagonal and U together.
struct RowLengths {
  double mean = 1;
  int longest = 1;
};
inline constexpr int longest_of_team = 256;  // entries of a row

// Scalars in device memory, all doubles: one copy brings them to the host.
struct Seen {
  double grown[2] = {};      // entries of L and U with candidates
  double kept[2] = {};       // entries of L and U kept
  double longer[4] = {};     // not 0: there are rows of more than 32, 64, 128, 256 entries
  double too_many = 0;       // not 0: a row has more candidates than fit
  double threshold[2] = {};  // of L and U; 0: nothing is dropped
  double square_of_A = 0, square_of_F = 0, replaced = 0;
};

RowLengths lengths_of(const TriangularRows& lower, const TriangularRows& upper);

struct ScalarStep {
  ScalarStep(int rows, const TriangularRows& lower, const TriangularRows& upper);
  bool fits() const { return lengths.longest <= longest_of_team; }

  RowLengths initial, lengths;               // pattern of A; present L and U
  ParIlutStep* pending = nullptr;            // step with results still on the device
  bool has_grown = false, has_kept = false;  // missing on the host: its residual; its counts and thresholds
  Seen last;                                 // copy on the host
  Array<Seen, Device> seen;
  TwoPrefixSums scan;
  GrowingArray<double, Device> row_sum;
  GrowingArray<unsigned char, Device> selecting;
  OrderedSolve solves;
};

void leave_squares(const double* v, std::int64_t count, double* sum);  // `sum` in device memory, as below
void leave_count(const int* v, std::int64_t count, double* sum);
void sweep_scalar(const BlockCsrView& A, const FactorsView& in, const FactorsView& out, const RowLengths& lengths);

// Row starts of S u F; the number of entries goes to `seen`.
void count_grown(const BlockCsrView& A, const FactorsView& S, const RowLengths& lengths, Work<Device>& work,
                 std::int64_t* lower_start, std::int64_t* upper_start, ScalarStep& step);
void fill_grown(const BlockCsrView& A, const FactorsView& S, const RowLengths& lengths, const RowsView& lower,
                const RowsView& upper, ScalarStep& step);

// Entries that L and U have, and that they are to have.
struct Wanted {
  std::int64_t lower, upper, most_lower, most_upper;
};
void find_thresholds(const FactorsView& f, const Wanted& wanted, ScalarStep& step);
void keep_largest(const FactorsView& f, const RowLengths& lengths, const RowsView& lower, const RowsView& upper,
                  Work<Device>& work, ScalarStep& step);

}  // namespace weir::parilu
