// Products of a block CSR matrix with several vectors in one pass (many.hpp).
#pragma once
#include <span>

#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/many.hpp"

namespace weir::csr_products {

struct OneProduct {
  Product form;  // not apply_dots
  const double *b, *x;
  double* y;
  double sum = 0;  // x.y or r.r, where the form has one
};
void products(const BlockCsrView& A, std::span<OneProduct> of);  // on the host

}  // namespace weir::csr_products
