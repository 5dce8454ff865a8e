// Matrix for the set-up of a preconditioner: RoundedCsr as it is where floats are accepted, else a BlockCsr of the same
// values, which is kept here.
#pragma once
#include <memory>

#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

template <class Space>
class WideMatrix {
 public:
  // Valid until the next call and as long as A.
  const Matrix<Space>& taken_by(const Preconditioner<Space>& M, const Matrix<Space>& A) {
    const auto* rounded = dynamic_cast<const RoundedCsr<Space>*>(&A);
    if (!rounded || M.traits().takes_floats) return A;
    if (wide_ && wide_->pattern() == rounded->pattern())
      rounded->widen(wide_->values());
    else
      wide_ = std::make_unique<BlockCsr<Space>>(*rounded);
    return *wide_;
  }

 private:
  std::unique_ptr<BlockCsr<Space>> wide_;
};

}  // namespace weir
