// The kinds of a matrix: visit(A, f) calls f with A as its most derived kind, or as Matrix for any other.
//   visit(A, Overloaded{[](const Banded<Space>& A) {...}, [](const BlockStencil<Space>& A) {...},
//                       [](const Matrix<Space>& A) {...}});
// Banded is a BlockStencil; BlockCsr and RoundedCsr are BlockSparse.
#pragma once

#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/stencil/banded.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"

namespace weir {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

// A as one of the kinds, tried in this order. M: Matrix<Space>, const or not.
template <template <class> class Kind, template <class> class... Others, class M, class F>
decltype(auto) visit_as(M& A, const F& f) {
  using Space = typename M::SpaceOf;
  using K = std::conditional_t<std::is_const_v<M>, const Kind<Space>, Kind<Space>>;
  if (auto* kind = dynamic_cast<K*>(&A)) return f(*kind);
  if constexpr (sizeof...(Others) > 0)
    return visit_as<Others...>(A, f);
  else
    return f(A);
}

template <class M, class F>
decltype(auto) visit(M& A, const F& f) {
  return visit_as<BlockCsr, RoundedCsr, Banded, BlockStencil, SeparableStencil>(A, f);
}

}  // namespace weir
