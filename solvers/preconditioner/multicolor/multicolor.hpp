// `multicolor`: point-implicit sweeps colour by colour (Zubair, Nielsen, Luitjens & Hammond 2016).
//   A = D + O                                                                                          (1)
//   for each colour k, for all its block rows i at once:   x_i = D_i^-1 (b_i - O_i x)                  (steps 1 to 3)
// No two rows of a colour are neighbours, so a colour is a Jacobi step and a sweep over all colours a Gauss-Seidel step.
// D is kept in double (Host: inverted in place; Device: its LU factors in place, substituted by one warp with
// shuffles, Figs. 10 to 13), O in float (or double, or bfloat16 with a scale a block row), both in the order of the
// colours, so that a sweep reads nothing but whole streams. x keeps the order of the matrix: after a bandwidth-reducing
// numbering the columns of a row lie close together, and nothing is permuted on the way in and out.
//
// Colour after colour, a sweep goes through all of x once for each colour. On Host, where x and b do not fit in the cache, rows
// are updated in the order of a wavefront instead (mesh/ordering/colour_wavefront): the same colours, the same bits, but the
// neighbours' x is still in cache.
//
// As a preconditioner z = M^-1 r begins from z = 0. Blocks whose column has an earlier colour are stored first, for all
// rows, then those of later colours: the first sweep reads only the former, half of O, as one stream. As a solver (method = "multicolor") it is x += M^-1 (b - A x)
// with the residual in double: float storage changes the rate, not the solution.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/bfloat16.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

struct MulticolorOptions {
  int sweeps = 2;
  bool symmetric = false;
  std::string colouring = "largest_first";
  std::uint64_t seed = 1;
  int warps_per_row = 0;  // Device; 0: by the table over n
  // Host: bytes of x and b that a thread keeps in cache while the rows around them are updated; 0: colour after colour.
  std::int64_t cache_bytes = 1 << 19;
};

// Rows of one colour, in one sweep. `first`: x is zero in later colours, so the blocks of earlier ones suffice.
struct ColourPass {
  int from, to;  // positions
  bool first;
};

// What kernels see; T: how the blocks of O are stored. "Position" is the place of a row in the order of a sweep.
template <class T>
struct MulticolorView {
  int rows = 0, n = 1;
  const int* row = nullptr;              // position -> row
  const std::int64_t* start = nullptr;   // by position: the blocks of O in columns of earlier colours; rows + 1
  const std::int64_t* later = nullptr;   // the same of later colours, which are stored behind all of the former
  const int* column = nullptr;           // of each block
  const std::int64_t* source = nullptr;  // of each block: where A holds it
  T* off = nullptr;                      // blocks of O, each column by column
  double* scale = nullptr;               // by position; null where T needs none
  double* diagonal = nullptr;  // by position: D^-1 (Host) or LU with inverted pivots (Device), column by column
};

// The symbolic part, on the host for both spaces.
struct MulticolorPlan {
  std::vector<int> row, column;
  std::vector<std::int64_t> start{0}, later, source;
  // A sweep is its pieces in turn, ranges of positions of one colour each: piece q ends where q + 1 begins.
  std::vector<int> piece_start, piece_colour;
  int colours = 0;

  // tile: about how many rows a step of the wavefront holds (colour_wavefront), from the number of colours.
  // Error(usage) that names a block row without a diagonal block.
  MulticolorPlan(const std::vector<std::int64_t>& row_start, const std::vector<int>& column_of,
                 const std::vector<std::int64_t>& diagonal, const MulticolorOptions& options,
                 const std::function<int(int)>& tile);
  int pieces() const { return static_cast<int>(piece_colour.size()); }
  std::vector<ColourPass> passes(const MulticolorOptions& options) const;
};

template <class Space, class T>
class Multicolor final : public Preconditioner<Space> {
 public:
  explicit Multicolor(const MulticolorOptions& options)
      : Preconditioner<Space>({.keeps_symmetry = options.symmetric, .storage = stored_as<T>}), options_(options) {}

  void apply(View<const double> r, View<double> z) const override;
  // One whole sweep of steps 1 to 3 from the x at hand, as the paper times it.
  void sweep(View<const double> b, View<double> x) const;
  bool is_symmetric() const override { return symmetric_; }
  Work apply_work() const override;  // of its passes: the first sweep reads half of O
  Work update_work() const override;
  std::vector<PartOfApply<Space>> parts() const override;  // the colours of a whole sweep
  std::string describe() const override;

  int colours() const { return static_cast<int>(colours_.size()); }
  // Each colour's pieces in a whole sweep. run: one colour, for timing.
  const std::vector<std::vector<ColourPass>>& colour_passes() const { return colours_; }
  void run(const std::vector<ColourPass>& passes, View<const double> b, View<double> x) const;
  Work sweep_work() const { return work(sweep_); }  // what a whole sweep must move and compute

 private:
  SetupInfo do_setup(const Matrix<Space>& A) override;   // A: block CSR
  SetupInfo do_update(const Matrix<Space>& A) override;  // the colours stay
  int tile_rows(int colours) const;
  MulticolorView<T> view() const;
  Work work(const std::vector<ColourPass>& passes) const;

  MulticolorOptions options_;
  bool symmetric_ = false;
  int rows_ = 0, block_ = 1;
  std::vector<int> piece_start_;
  std::vector<std::int64_t> earlier_before_, later_before_;  // blocks of O, by piece: how many in the rows before it
  std::vector<ColourPass> passes_, sweep_;                   // of an application, of a whole sweep
  std::vector<std::vector<ColourPass>> colours_;
  Array<int, Space> row_, column_;
  Array<std::int64_t, Space> start_, later_, source_;
  Array<T, Space> off_;
  Array<double, Space> scale_, diagonal_;
};

namespace multicolor {

// Values of A into O and D, D factorised in place; returns the first row whose diagonal block is singular, or -1.
template <class Space, class T>
int factorise(const MulticolorView<T>& m, const BlockCsrView& A);

namespace host {
template <class T>
void run(const MulticolorView<T>& m, const std::vector<ColourPass>& passes, const double* b, double* x);
// D^-1 in place; bad: rows, or the smallest row that failed.
int invert_diagonals(int rows, int n, const int* row, double* diagonal);
}  // namespace host

namespace device {
// warps: of a row, 0: by the table. Consecutive small colours are one launch of one workgroup.
template <class T>
void run(const MulticolorView<T>& m, const std::vector<ColourPass>& passes, const double* b, double* x, int warps);
// The same by a warp a row, for n = 4, 5, 6; false, and nothing done, for others.
template <class T>
bool run_by_warps(const MulticolorView<T>& m, const std::vector<ColourPass>& passes, const double* b, double* x);
}  // namespace device

int warps_per_row(int n);  // the table

}  // namespace multicolor
}  // namespace weir
