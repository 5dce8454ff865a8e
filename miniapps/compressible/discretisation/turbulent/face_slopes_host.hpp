// Products with dR/dU of turbulent flow through interior faces: packs of faces.
#pragma once
#include "miniapps/compressible/discretisation/schemes.hpp"
#include "miniapps/compressible/discretisation/turbulent/slopes.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/pack.hpp"

namespace weir {

// Found by the type of their argument.
template <int count>
inline void gather1(const double* base, const int* index, int k, Pack& out) {
  if constexpr (count == 1) return gather1(base, index, out);
  for (int lane = 0; lane < Pack::width; ++lane) out.v[lane] = base[std::int64_t{count} * index[lane] + k];
}
template <int count>
inline void scatter1(const Pack& value, double* p, int k) {
  if constexpr (count == 1) return store(value, p);
  for (int lane = 0; lane < Pack::width; ++lane) p[count * lane + k] = value.v[lane];
}

template <class M>
void turbulent_interior_slopes(Host, const SpatialView& v) {
  const int packs = v.faces.count / Pack::width;
  with_scheme(v, [&](const auto& scheme) {
#pragma omp parallel for schedule(static) if (v.faces.count > parallel_grain)
    for (int p = 0; p < packs; ++p) turbulent::slope_of_flux<M, Pack>(v, scheme, p * Pack::width);
    for (int f = packs * Pack::width; f < v.faces.count; ++f) turbulent::slope_of_flux<M, double>(v, scheme, f);
  });
}

}  // namespace weir
