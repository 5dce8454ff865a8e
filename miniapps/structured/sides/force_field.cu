#include "miniapps/structured/sides/force_field.hpp"

#include "solvers/device/for_each.hpp"

namespace weir {

template <class Space>
ForceField<Space>::ForceField(const IncompressibleCase& c, const Layout& l) : c_(c), layout_(l) {
  if (!c.force_has_formula) return;
  for (int e = 0; e < l.dim; ++e) {
    force_[e] = Array<double, Space>(l.unknowns(e).count());
    evaluate(e, 0);
  }
}

template <class Space>
void ForceField<Space>::set_time(double t) {
  if (!c_.force_has_formula) return;
  for (int e = 0; e < layout_.dim; ++e)
    if (c_.force_formula[e].depends_on_time()) evaluate(e, t);
}

template <class Space>
void ForceField<Space>::evaluate(int component, double t) {
  const Layout& l = layout_;
  const Extents box = l.unknowns(component);
  host_.resize(box.count());  // of the largest: no allocation after the first time
  std::size_t q = 0;
  double x[3];
  const auto place = [&](int d, int i) {
    const GridLine& line = c_.grid.line[d];
    return d == component ? line.faces[i + l.low[d] + l.first(d)] : line.centre[i + l.low[d]];
  };
  for (int k = 0; k < box.nz; ++k)
    for (int j = 0; j < box.ny; ++j)
      for (int i = 0; i < box.nx; ++i) {
        x[0] = place(0, i);
        x[1] = place(1, j);
        x[2] = place(2, k);
        host_[q++] = c_.force_formula[component].at(x, t);
      }
  force_[component].upload(host_);
}

template <class Space>
void ForceField<Space>::add_to(int component, const Metrics& m, double dt, View<double> rhs) const {
  if (!c_.force_has_formula) return;
  const Extents box = layout_.unknowns(component);
  const int i0 = component == 0 ? layout_.first(0) : 0, j0 = component == 1 ? layout_.first(1) : 0,
            k0 = component == 2 ? layout_.first(2) : 0;
  const double *hx = component == 0 ? m.line[0].m : m.line[0].h, *hy = component == 1 ? m.line[1].m : m.line[1].h,
               *hz = component == 2 ? m.line[2].m : m.line[2].h, *f = force_[component].data();
  double* b = rhs.data();
  for_each<Space>(box, [=] WEIR_HD(int i, int j, int k) {
    const int q = box.index(i, j, k);
    b[q] += dt * hx[i + i0] * hy[j + j0] * hz[k + k0] * f[q];
  });
}

template class ForceField<Host>;
template class ForceField<Device>;

}  // namespace weir
