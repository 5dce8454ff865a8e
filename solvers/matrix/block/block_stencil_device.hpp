// The products of BlockStencil on the device: out = base + factor A x, base null for 0.
#pragma once
#include "solvers/matrix/block/block_stencil.hpp"

namespace weir::block_stencil_device {

void entry_product(const BlockStencilView& A, const double* base, double factor, const double* x, double* out);
void columns_product(const BlockStencilView& A, const double* base, double factor, const double* x, double* out);

}  // namespace weir::block_stencil_device
