#include "miniapps/structured/sides/plane.hpp"

namespace weir {

Plane make_plane(const Layout& l, int d) {
  Plane p;
  p.d = d;
  p.t1 = d == 0 ? 1 : 0;
  p.t2 = d == 2 ? 1 : 2;
  p.pad1 = l.pad(p.t1);
  p.pad2 = l.pad(p.t2);
  p.n1 = l.n[p.t1];
  p.n2 = l.n[p.t2];
  return p;
}

BoundaryPlanes::BoundaryPlanes(const Layout& l) {
  for (int s = 0; s < 2 * l.dim; ++s) {
    begin[s] = total;
    if (!l.is_side(s)) continue;
    plane[s / 2] = make_plane(l, s / 2).padded().count();
    total += l.dim * plane[s / 2];
  }
}

std::vector<int> boundary_places(const Layout& local, const Layout& whole) {
  const BoundaryPlanes planes(whole);
  std::vector<int> place;
  for (int s = 0; s < 2 * local.dim; ++s) {
    if (!local.is_side(s)) continue;
    const Plane p = make_plane(local, s / 2), all = make_plane(whole, s / 2);
    const Extents e = p.padded();
    for (int c = 0; c < local.dim; ++c)
      for (int b = 0; b < e.ny; ++b)
        for (int a = 0; a < e.nx; ++a)
          place.push_back(static_cast<int>(planes.offset(s, c)) +
                          all.index(a - p.pad1 + local.low[p.t1], b - p.pad2 + local.low[p.t2]));
  }
  return place;
}

}  // namespace weir
