// One row of the separable stencil on the host: its coefficients, and the product at a cell.
#pragma once
#include "solvers/matrix/host_rows.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"

namespace weir::separable_products {

struct RowCoefficients {
  double c0, cs, cn, cb, ct, cx;
};

inline RowCoefficients row_coefficients(const StencilView& v, int j, int k) {
  const StencilAxis &Y = v.Y, &Z = v.Z;
  const double my = Y.mass[j], mz = Z.mass[k], s = v.scale;
  return {v.shift * my * mz + s * (mz * Y.diagonal[j] + my * Z.diagonal[k]),
          s * mz * Y.lower[j],
          s * mz * Y.upper[j],
          s * my * Z.lower[k],
          s * my * Z.upper[k],
          s * my * mz};
}

// A x at cell i, whose neighbours' values along the row are given. All arguments by value: gcc vectorises the loop over i
// only then.
inline double product_at(const RowCoefficients c, const StencilAxis X, const RowPointers p, int i, double west,
                         double east) {
  return X.mass[i] * (c.c0 * p.x[i] - c.cs * p.S[i] - c.cn * p.N[i] - c.cb * p.B[i] - c.ct * p.T[i]) +
         c.cx * (X.diagonal[i] * p.x[i] - X.lower[i] * west - X.upper[i] * east);
}

}  // namespace weir::separable_products
