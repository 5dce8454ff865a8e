// Change of basis along one direction, for a block of lines in host memory, by the calling thread.
#pragma once
#include <cstddef>
#include <memory>

#include "solvers/preconditioner/fast_poisson/fast_poisson_modes.hpp"

namespace weir {

// `count` lines of n values: value i of line l at in[i * step + l * next] (likewise out). Lines along x have step 1,
// lines along y and z have next 1. out may be in.
struct Lines {
  const double* in;
  double* out;
  std::ptrdiff_t step, next;
  int count;
};

class LineTransform {
 public:
  virtual ~LineTransform() = default;
  virtual void forward(const Lines& lines, double* scratch) const = 0;  // to the modes
  virtual void inverse(const Lines& lines, double* scratch) const = 0;  // from the modes, without Modes::norm
  virtual int block() const = 0;                                        // most lines per call
  virtual std::int64_t scratch() const = 0;                             // doubles; 64-byte aligned
};

// By eigenvectors (ModeBasis::dense, symmetric). Keeps a reference to the modes.
std::unique_ptr<LineTransform> make_matrix_transform(const Modes& modes);

// By a fast transform (cosine, sine, sine_I, fourier); null in builds without FFTW (line_transform_no_fftw.cpp).
std::unique_ptr<LineTransform> make_fast_transform(const Modes& modes);
bool has_fast_transforms();

// Estimated nanoseconds per value on one core, to choose between them.
double matrix_transform_cost(int n, ModeBasis basis);
double fast_transform_cost(int n, ModeBasis basis);

}  // namespace weir
