// The products of BlockStencil on the host.
#pragma once
#include "solvers/matrix/block/block_stencil.hpp"

namespace weir::block_stencil_host {

void apply(const BlockStencilView& A, const double* x, double* y);
void residual(const BlockStencilView& A, const double* b, const double* x, double* r);
double residual_dot(const BlockStencilView& A, const double* b, const double* x, double* r);  // r.r, any thread count

}  // namespace weir::block_stencil_host
