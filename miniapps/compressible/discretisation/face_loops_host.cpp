// Packs of consecutive faces, one vector register per variable, processed in face order. The sums of a cell over its
// faces are computed as soon as the last of them is done, while the fluxes are in cache: faces are sorted by owner,
// and every face of a cell has an owner that is not after it (periodic faces excepted).
#include <omp.h>

#include <algorithm>

#include "miniapps/compressible/discretisation/cell_kernels.hpp"
#include "miniapps/compressible/discretisation/schemes.hpp"
#include "miniapps/compressible/discretisation/slope_kernels.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/pack.hpp"

namespace weir {
namespace {

constexpr int tile = 32 * Pack::width;

// Work of one thread: faces begin .. end - 1 (whole packs, except for the last thread), and the sums of the cells low
// .. high - 1 that their owners span.
struct Share {
  int begin, end, low, high;
};
Share share(const SpatialView& v, int thread, int threads) {
  const InteriorFaces& g = v.faces;
  const auto first = [&](int t) {
    return t == threads ? g.count : static_cast<int>(std::int64_t{g.count / Pack::width} * t / threads) * Pack::width;
  };
  const auto after = [&](int t) { return first(t) < g.sorted ? g.owner[first(t)] : v.cells.count; };
  return {first(thread), first(thread + 1), thread == 0 ? 0 : after(thread),
          thread + 1 == threads ? v.cells.count : after(thread + 1)};
}

// Whether all faces of cell i are in this share and not periodic: then they are complete with its owners.
bool is_inside(const SpatialView& v, const Share& s, int i) {
  const int begin = v.cells.start[i], end = v.cells.start[i + 1];
  if (begin == end) return true;
  const int a = v.cells.link[begin], b = v.cells.link[end - 1];  // links are in face order
  return (a < 0 ? ~a : a) >= s.begin && (b < 0 ? ~b : b) < std::min(s.end, v.faces.sorted);
}

// many(f): faces f .. f + width - 1; one(f): face f; cell(i), after all faces of cell i.
template <class Many, class One, class Cell>
void sweep(const SpatialView& v, const Many& many, const One& one, const Cell& cell) {
#pragma omp parallel if (v.faces.count > parallel_grain)
  {
    const Share s = share(v, omp_get_thread_num(), omp_get_num_threads());
    const bool all = s.begin == 0 && s.end == v.faces.sorted && s.end == v.faces.count;
    for (int f = s.begin, i = s.low; f < s.end || i < s.high;) {
      const int stop = std::min(s.end, f + tile);
      for (; f + Pack::width <= stop; f += Pack::width) many(f);
      for (; f < stop; ++f) one(f);
      const int ready = f < std::min(s.end, v.faces.sorted) ? v.faces.owner[f] : s.high;
      for (; i < ready; ++i)
        if (all || is_inside(v, s, i)) cell(i);
    }
#pragma omp barrier
    for (int i = s.low; i < s.high && !all; ++i)
      if (!is_inside(v, s, i)) cell(i);
  }
}

}  // namespace

void primitive_states(Host, const SpatialView& v, View<const double> U) {
  const double* u = U.data();
  const int packs = v.cells.count / Pack::width;
#pragma omp parallel for schedule(static) if (v.cells.count > parallel_grain)
  for (int p = 0; p < packs; ++p) face::primitive_of<Pack>(v, u, p * Pack::width);
  for (int i = packs * Pack::width; i < v.cells.count; ++i) face::primitive_of<double>(v, u, i);
}

void interior_residual(Host, const SpatialView& v, View<double> R) {
  double* r = R.data();
  with_scheme(v, [&](const auto& scheme) {
    sweep(
        v, [=](int f) { face::flux<Pack>(v, scheme, f); }, [=](int f) { face::flux<double>(v, scheme, f); },
        [=](int i) { cell::residual<4>(v, r, i); });
  });
}

void interior_slopes(Host, const SpatialView& v, View<double> y) {
  double* r = y.data();
  with_scheme(v, [&](const auto& scheme) {
    sweep(
        v, [=](int f) { slope::of_flux<Pack>(v, scheme, f); }, [=](int f) { slope::of_flux<double>(v, scheme, f); },
        [=](int i) { cell::residual<4>(v, r, i); });
  });
}

void interior_jacobian(Host, const SpatialView& v) {
  with_scheme(v, [&](const auto& scheme) {
    sweep(
        v, [=](int f) { face::jacobian<Pack>(v, scheme, f); }, [=](int f) { face::jacobian<double>(v, scheme, f); },
        [=](int i) { cell::diagonal_block<4>(v, i); });
  });
}

}  // namespace weir
