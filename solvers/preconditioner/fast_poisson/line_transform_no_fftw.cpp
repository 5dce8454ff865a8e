// A build without FFTW: every direction is diagonalised by its eigenvectors.
#include "solvers/preconditioner/fast_poisson/line_transform.hpp"

namespace weir {

std::unique_ptr<LineTransform> make_fast_transform(const Modes&) { return nullptr; }
bool has_fast_transforms() { return false; }
double fast_transform_cost(int, ModeBasis) { return 1e9; }

}  // namespace weir
