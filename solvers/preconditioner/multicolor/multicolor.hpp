// `multicolor`: point-implicit sweeps colour by colour (Zubair, Nielsen, Luitjens & Hammond 2016).
//   A = D + O                                                                                          (1)
//   for each colour k, for all its block rows i at once:   x_i = D_i^-1 (b_i - O_i x)                  (steps 1 to 3)
// No two rows of a colour are neighbours: a colour is a Jacobi step, a sweep over all colours a Gauss-Seidel step. D is
// kept in double (host: inverted in place; device: LU factors in place, substituted by one warp with shuffles, Figs. 10
// to 13), O in float, double or bfloat16 with a scale per block row. Both are stored in the order of the colours and
// read as streams; x keeps the order of the matrix.
//
// Host: where x and b do not fit in the cache, rows are updated in the order of a wavefront
// (mesh/ordering/colour_wavefront): the same colours and the same bits, but the neighbours' x is still in the cache.
//
// As a preconditioner z = M^-1 r starts from z = 0: blocks with a column of an earlier colour are stored first, for all
// rows, so that the first sweep reads only that half of O. As a solver (method = "multicolor") it is x += M^-1 (b - A
// x) with the residual in double: float storage changes the convergence rate, not the solution.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/matrix/bfloat16.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

struct MulticolorOptions {
  int sweeps = 2;
  bool symmetric = false;
  std::string colouring = "largest_first";
  std::uint64_t seed = 1;
  // Host: bytes of x and b per thread that stay in cache while the rows around them are updated; 0: colour by colour.
  std::int64_t cache_bytes = 1 << 19;
};

// Rows of one colour in one sweep. `first`: x is zero in later colours, so that the blocks of earlier colours suffice.
struct ColourPass {
  int from, to;  // positions
  bool first;
};

// View for kernels; T: storage of the blocks of O. "Position": place of a row in the order of a sweep.
template <class T>
struct MulticolorView {
  int rows = 0, n = 1;
  const int* row = nullptr;              // position -> row
  const std::int64_t* start = nullptr;   // by position: the blocks of O in columns of earlier colours; rows + 1
  const std::int64_t* later = nullptr;   // blocks in columns of later colours, stored after all of the former
  const int* column = nullptr;           // of each block
  const std::int64_t* source = nullptr;  // of each block: its position in A
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

  // tile(colours): approximate rows per step of the wavefront (colour_wavefront). Error(usage) names a block row
  // without a diagonal block.
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
  Work apply_work() const override;  // the first sweep reads half of O
  Work update_work() const override;
  std::vector<PartOfApply<Space>> parts() const override;  // the colours of a whole sweep
  std::string describe() const override;

  int colours() const { return static_cast<int>(colours_.size()); }
  // Each colour's pieces in a whole sweep. run: one colour, for timing.
  const std::vector<std::vector<ColourPass>>& colour_passes() const { return colours_; }
  void run(const std::vector<ColourPass>& passes, View<const double> b, View<double> x) const;
  Work sweep_work() const { return work(sweep_); }  // bytes and operations of a whole sweep

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
  std::vector<std::int64_t> earlier_before_, later_before_;  // by piece: blocks of O in the rows before it
  std::vector<ColourPass> passes_, sweep_;                   // passes of an application; of a whole sweep
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
// Consecutive small colours, one after the other in one launch of one workgroup.
inline constexpr int tail_rows = 64;  // colours of at most this many rows share a launch
struct Tail {
  static constexpr int most = 16;
  ColourPass pass[most];
  int count = 0;
};
// small(tail) or one(pass) for all passes in turn.
template <class Small, class One>
void for_passes(const std::vector<ColourPass>& passes, const Small& small, const One& one) {
  for (std::size_t k = 0; k < passes.size();) {
    Tail tail;
    for (; k < passes.size() && passes[k].to - passes[k].from <= tail_rows && tail.count < Tail::most; ++k)
      tail.pass[tail.count++] = passes[k];
    if (tail.count > 0)
      small(tail);
    else
      one(passes[k++]);
  }
}

template <class T>
void run(const MulticolorView<T>& m, const std::vector<ColourPass>& passes, const double* b, double* x);
// The same with one warp per row for n = 4, 5, 6; returns false, and does nothing, for other n.
template <class T>
bool run_by_warps(const MulticolorView<T>& m, const std::vector<ColourPass>& passes, const double* b, double* x);
}  // namespace device

}  // namespace multicolor
}  // namespace weir
