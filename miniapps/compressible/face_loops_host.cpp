// Packs of faces side by side, a vector register of each number; the few that are left over one by one.
#include "miniapps/compressible/face_kernels.hpp"
#include "miniapps/compressible/schemes.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/pack.hpp"

namespace weir {
namespace {

// many(i) for the first of Pack::width indices, one(i) for each of the rest.
template <class Many, class One>
void for_packs(int n, const Many& many, const One& one) {
  const int packs = n / Pack::width;
#pragma omp parallel for schedule(static) if (n > parallel_grain)
  for (int p = 0; p < packs; ++p) many(p * Pack::width);
  for (int i = packs * Pack::width; i < n; ++i) one(i);
}

}  // namespace

template <>
void primitive_states<Host>(const SpatialView& v, View<const double> U) {
  const double* u = U.data();
  for_packs(
      v.cells.count, [=](int i) { face::primitive_of<Pack>(v, u, i); },
      [=](int i) { face::primitive_of<double>(v, u, i); });
}
template <>
void interior_fluxes<Host>(const SpatialView& v) {
  with_scheme(v, [&](const auto& scheme) {
    for_packs(
        v.faces.count, [=](int f) { face::flux<Pack>(v, scheme, f); },
        [=](int f) { face::flux<double>(v, scheme, f); });
  });
}
template <>
void interior_jacobians<Host>(const SpatialView& v) {
  with_scheme(v, [&](const auto& scheme) {
    for_packs(
        v.faces.count, [=](int f) { face::jacobian<Pack>(v, scheme, f); },
        [=](int f) { face::jacobian<double>(v, scheme, f); });
  });
}

}  // namespace weir
