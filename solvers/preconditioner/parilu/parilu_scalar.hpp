// A step of ParILUT on the device where blocks are scalars: what a step needs to know stays there until the host looks, once where the
// grown pattern needs its memory, and once at the end.
//   count_grown, fill_grown    S u F with L, U and the residual F = (A - L U) \ S in place: candidates, residual and add in one
//   sweep_scalar               (2) and (3)
//   find_thresholds            by SampleSelect, approximately
//   count_kept, copy_kept      S \ what is below
// Rows that do not fit a team's shared memory (parilu_teams.hpp) have the general kernels.
#pragma once
#include "solvers/matrix/algorithms/ordered_solve.hpp"
#include "solvers/matrix/algorithms/prefix_sum.hpp"
#include "solvers/preconditioner/parilu/parilu.hpp"

namespace weir::parilu {

// Of the rows of a pattern, L's entries, the diagonal and U's together.
struct RowLengths {
  double mean = 1;
  int longest = 1;
};
inline constexpr int longest_of_team = 256;  // entries of a row

// In device memory, all doubles, so that one copy brings them to the host.
struct Seen {
  double grown[2] = {};      // entries of L and U, candidates included
  double kept[2] = {};       // those that are left
  double longer[4] = {};     // not 0: it has rows of more than 32, 64, 128, 256 entries
  double too_many = 0;       // not 0: a row has more candidates than fit
  double threshold[2] = {};  // of L and U; 0: nothing is dropped
  double square_of_A = 0, square_of_F = 0, replaced = 0;
};

RowLengths lengths_of(const TriangularRows& lower, const TriangularRows& upper);

struct ScalarStep {
  ScalarStep(int rows, const TriangularRows& lower, const TriangularRows& upper);
  bool fits() const { return lengths.longest <= longest_of_team; }

  RowLengths initial, lengths;               // of A's pattern; of what L and U have now
  ParIlutStep* pending = nullptr;            // the step that the host does not know all of
  bool has_grown = false, has_kept = false;  // whether its residual, its counts and thresholds are what is missing
  Seen last;                                 // as the host saw it
  Array<Seen, Device> seen;
  TwoPrefixSums scan;
  GrowingArray<double, Device> row_sum;
  GrowingArray<unsigned char, Device> selecting;
  OrderedSolve solves;
};

void leave_squares(const double* v, std::int64_t count, double* sum);  // `sum` in device memory, as below
void leave_count(const int* v, std::int64_t count, double* sum);
void sweep_scalar(const BlockCsrView& A, const FactorsView& in, const FactorsView& out, const RowLengths& lengths);

// The entries of each row of S u F, where they start, and into `seen` how many there are.
void count_grown(const BlockCsrView& A, const FactorsView& S, const RowLengths& lengths, Work<Device>& work,
                 std::int64_t* lower_start, std::int64_t* upper_start, ScalarStep& step);
void fill_grown(const BlockCsrView& A, const FactorsView& S, const RowLengths& lengths, const RowsView& lower,
                const RowsView& upper, ScalarStep& step);

// How many entries L and U have, and are to have.
struct Wanted {
  std::int64_t lower, upper, most_lower, most_upper;
};
void find_thresholds(const FactorsView& f, const Wanted& wanted, ScalarStep& step);
void keep_largest(const FactorsView& f, const RowLengths& lengths, const RowsView& lower, const RowsView& upper,
                  Work<Device>& work, ScalarStep& step);

}  // namespace weir::parilu
