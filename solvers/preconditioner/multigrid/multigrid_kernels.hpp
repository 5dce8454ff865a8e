// The steps of a multigrid cycle as independent loops over unknowns, for both spaces: what runs on Device, and on Host
// where the fused passes of multigrid_host.hpp do not apply. Deterministic: every value is gathered in a fixed order.
#pragma once
#include "solvers/device/space.hpp"
#include "solvers/preconditioner/multigrid/multigrid_view.hpp"

namespace weir::multigrid {

template <class Space, class T>
void clear(T* values, int n);
template <class Space, class T>
void load(const LevelView<T>& L, const double* r, double factor);  // g = factor r / V
template <class Space, class T>
void store(const LevelView<T>& L, double factor, double* z);  // z = factor u

template <class Space, class T>
void residual(const LevelView<T>& L);  // w = g - A u
template <class Space, class T>
void relax_colour(const LevelView<T>& L, int colour, T omega);  // Gauss-Seidel
template <class Space, class T>
void jacobi_step(const LevelView<T>& L, T omega);  // u += omega w / d
template <class Space, class T>
void chebyshev_step(const LevelView<T>& L, T old, T fresh);  // p = old p + fresh w / d, u += p

template <class Space, class T>
void restrict_residual(const LevelView<T>& fine, const LevelView<T>& coarse,
                       const ExchangeView<T>& exchange);  // coarse g = R w
template <class Space, class T>
void prolong_correct(const LevelView<T>& fine, const LevelView<T>& coarse,
                     const ExchangeView<T>& exchange);  // u += P coarse u
// u = inverse g, where unknown a of the inverse (natural order) has its place in u and g at places[a].
template <class Space, class T>
void solve_coarsest(const LevelView<T>& L, const int* places, const T* inverse);

}  // namespace weir::multigrid
