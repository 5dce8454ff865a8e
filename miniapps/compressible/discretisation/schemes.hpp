// Calls f with the functor of a flux: f(Roe{...}), f(Hllc{...}), ...
#pragma once
#include "miniapps/compressible/discretisation/spatial_view.hpp"
#include "physics/flux.hpp"

namespace weir {

template <class F>
void with_scheme(const SpatialView& v, const F& f) {
  const double gamma = v.gas.gamma;
  switch (v.flux_scheme) {
    case FluxScheme::roe:
      return f(Roe{gamma, v.entropy_fix});
    case FluxScheme::hllc:
      return f(Hllc{gamma});
    case FluxScheme::ausm_plus:
      return f(AusmPlus{gamma});
    case FluxScheme::van_leer:
      return f(VanLeer{gamma});
    case FluxScheme::rusanov:
      return f(Rusanov{gamma});
  }
}

}  // namespace weir
