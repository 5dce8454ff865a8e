// A matrix and its solver in one space, as weir.h hands them out; weir.cpp maps C calls and errors to it.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "inputs/clients/weir_capture.h"
#include "solvers/c/rows.hpp"
#include "solvers/linear_solver.hpp"

namespace weir::c {

class AnySolver {
 public:
  virtual ~AnySolver() = default;
  // Collective, as are solve and apply.
  virtual void setup(BlockCsrData data, const RowParts& parts, const weir_csr* lent) = 0;  // as Rows
  // values: on the host.
  virtual void setup_stencil(const weir_stencil& shape, const std::vector<double>& values) = 0;
  // near: the matrix that the preconditioner is made from, or null.
  virtual void setup_operator(const RowParts& parts, std::uint32_t flags, weir_operator apply, void* context,
                              BlockCsrData* near, const RowParts& near_parts) = 0;
  virtual void update(const std::vector<double>& values) = 0;
  // k systems: vector j begins at b + j * stride_b and x + j * stride_x.
  virtual std::vector<SolveResult> solve(bool is_transposed, int k, const double* b, std::int64_t stride_b, double* x,
                                         std::int64_t stride_x) = 0;
  virtual void apply(bool is_transposed, const double* r, double* z) = 0;
  // Writes A (with its pattern or without), b and the initial guess x. Nothing without a matrix.
  virtual void record(weir_capture* to, bool with_pattern, const double* b, const double* x) const = 0;
  virtual SetupInfo info() const = 0;
  virtual const std::vector<double>& history() const = 0;
  virtual std::string describe() const = 0;
};

// options: TOML. is_cancelled: polled in each iteration.
template <class Space>
std::unique_ptr<AnySolver> make_solver(const std::string& options, std::function<bool()> is_cancelled);

}  // namespace weir::c
