// Stencils of weir.h: one unknown per cell of a structured grid, on one rank.
#pragma once
#include <vector>

#include "solvers/c/rows.hpp"
#include "solvers/matrix/stencil/banded.hpp"

namespace weir::c {

// Error(usage) for a struct that is not as weir.h says.
void check_shape(const weir_stencil& A);
// The same as block rows of one entry: what the values of weir_update are read by.
weir_csr as_rows(const weir_stencil& A);

template <class Space>
class Bands final : public OwnMatrix<Space> {
 public:
  // values: the bands one after the other, on the host.
  Bands(const weir_stencil& shape, const std::vector<double>& values);
  const Matrix<Space>& matrix() const override { return A_; }
  void update(const std::vector<double>& values) override { A_.upload(values); }
  BlockCsrData entries() const override;
  std::unique_ptr<OwnMatrix<Space>> transposed() const override;

 private:
  weir_stencil shape_;
  Banded<Space> A_;
};

}  // namespace weir::c
