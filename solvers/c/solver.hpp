// A matrix and its solver in one space, as weir.h hands them out; weir.cpp maps C calls and errors to it.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solvers/c/weir.h"
#include "solvers/linear_solver.hpp"
#include "solvers/matrix/block/block_csr.hpp"

namespace weir::c {

// The arrays of `A`, copied and checked: Error(usage) names the first row that is not as weir.h says, Error(not_finite) the
// first value that is NaN or infinite.
BlockCsrData read(const weir_csr& A);
// `blocks` blocks of the size and layout of A, copied in the order of BlockCsrData.
std::vector<double> read_values(const weir_csr& A, std::int64_t blocks, const double* value);
BlockCsrData transposed(const BlockCsrData& A);

class AnySolver {
 public:
  virtual ~AnySolver() = default;
  virtual void setup(BlockCsrData data) = 0;
  // near: the matrix that the preconditioner is made from, or null.
  virtual void setup_operator(std::int64_t size, std::uint32_t flags, weir_operator apply, void* context,
                              const BlockCsrData* near) = 0;
  virtual void update(std::vector<double> values) = 0;
  virtual SolveResult solve(bool is_transposed, const double* b, double* x) = 0;
  virtual void apply(bool is_transposed, const double* r, double* z) = 0;
  virtual SetupInfo info() const = 0;
  virtual const std::vector<double>& history() const = 0;
  virtual std::string describe() const = 0;
};

// options: TOML. is_cancelled: polled in each iteration.
template <class Space>
std::unique_ptr<AnySolver> make_solver(const std::string& options, std::function<bool()> is_cancelled);

}  // namespace weir::c
