// Products with dR/dU of turbulent flow through interior faces: packs of faces.
#include "miniapps/compressible/discretisation/schemes.hpp"
#include "miniapps/compressible/discretisation/turbulent_slopes.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/pack.hpp"

namespace weir {

void turbulent_interior_slopes(Host, const SpatialView& v) {
  const int packs = v.faces.count / Pack::width;
  with_scheme(v, [&](const auto& scheme) {
#pragma omp parallel for schedule(static) if (v.faces.count > parallel_grain)
    for (int p = 0; p < packs; ++p) turbulent::slope_of_flux<Pack>(v, scheme, p * Pack::width);
    for (int f = packs * Pack::width; f < v.faces.count; ++f) turbulent::slope_of_flux<double>(v, scheme, f);
  });
}

}  // namespace weir
