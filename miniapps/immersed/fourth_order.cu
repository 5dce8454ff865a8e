#include "miniapps/immersed/fourth_order.hpp"

#include <vector>

#include "miniapps/structured/metrics.hpp"
#include "solvers/device/for_each.hpp"

namespace weir {
namespace {

// Weights of four points for the value at `at` of the cubic through them.
void interpolate_weights(const double* x, double at, double* w) {
  for (int a = 0; a < 4; ++a) {
    w[a] = 1;
    for (int b = 0; b < 4; ++b)
      if (b != a) w[a] *= (at - x[b]) / (x[a] - x[b]);
  }
}

// Weights for the slope of this cubic at `at`.
void slope_weights(const double* x, double at, double* w) {
  for (int a = 0; a < 4; ++a) {
    w[a] = 0;
    for (int c = 0; c < 4; ++c) {
      if (c == a) continue;
      double product = 1 / (x[a] - x[c]);
      for (int b = 0; b < 4; ++b)
        if (b != a && b != c) product *= (at - x[b]) / (x[a] - x[b]);
      w[a] += product;
    }
  }
}

// Nodes own.low .. own.low + n (faces) or own.low .. own.low + n - 1 (centres) of a line of the whole grid; those
// within two of its ends stay empty.
std::vector<FourthOrderNode> nodes_of(const GridLine& line, int low, int n, bool at_faces) {
  const std::vector<double>&node = at_faces ? line.faces : line.centre, &flux = at_faces ? line.centre : line.faces;
  std::vector<FourthOrderNode> all(static_cast<std::size_t>(n + (at_faces ? 1 : 0)));
  const int count = static_cast<int>(node.size());
  for (int q = 0; q < static_cast<int>(all.size()); ++q) {
    const int i = low + q;
    if (i < 2 || i + 2 >= count) continue;
    FourthOrderNode& f = all[q];
    const double* e = flux.data() + (at_faces ? i - 2 : i - 1);  // where the fluxes are
    for (int p = 0; p < 4; ++p) interpolate_weights(node.data() + i - (p < 2 ? 2 : 1), e[p], f.flux[p]);
    slope_weights(e, node[i], f.slope);
    if (at_faces) interpolate_weights(line.centre.data() + i - 2, node[i], f.carrier);
  }
  return all;
}

struct AdvectionView {
  const double* velocity[3];  // of own (0, 0, 0)
  int stride[3];
  const FourthOrderNode* line[3];
  MetricLine metric[3];
};

// V C at a node of component d.
template <int dim>
WEIR_HD inline double advection_at(const AdvectionView& v, int d, const int (&at)[3], int c) {
  const double* q = v.velocity[d] + c;
  const FourthOrderNode& own = v.line[d][at[d]];
  const int s = v.stride[d];
  double sum = 0, volume = v.metric[d].m[at[d]];
  for (int t = 0; t < dim; ++t) {
    const FourthOrderNode& f = v.line[t][at[t]];
    const int st = v.stride[t];
    for (int e = 0; e < 4; ++e) {
      const double* u = q + (e < 2 ? -2 : -1) * st;
      const double carried =
          f.flux[e][0] * u[0] + f.flux[e][1] * u[st] + f.flux[e][2] * u[2 * st] + f.flux[e][3] * u[3 * st];
      double by = carried;
      if (t != d) {
        const double* r = v.velocity[t] + c + (e - 1) * st - 2 * s;
        by = own.carrier[0] * r[0] + own.carrier[1] * r[s] + own.carrier[2] * r[2 * s] + own.carrier[3] * r[3 * s];
      }
      sum += f.slope[e] * by * carried;
    }
  }
  for (int t = 0; t < 3; ++t)
    if (t != d) volume *= v.metric[t].h[at[t]];
  return volume * sum;
}

}  // namespace

template <class Space>
FourthOrder<Space>::FourthOrder(const Grid& grid, const Layout& own, const Layout& region)
    : own_(own), region_(region) {
  for (std::size_t d = 0; d < 3; ++d)
    for (const bool at_faces : {false, true})
      line_[at_faces ? 1 : 0][d] =
          Array<FourthOrderNode, Space>(nodes_of(grid.line[d], own.low[d], own.n[d], at_faces));
}

template <class Space>
void FourthOrder<Space>::update(const CutGeometry& cut) {
  const int dim = own_.dim;
  for (int c = 0; c < dim; ++c) {
    const Extents box = own_.unknowns(c);
    std::vector<unsigned char> use(static_cast<std::size_t>(box.count()), 0);
    const int s = region_.stride(c);
    const auto kind_is = [&](int component, int place, int least) { return cut.kind[component][place] >= least; };
    const auto fits = [&](const int(&at)[3]) {
      for (int d = 0; d < dim; ++d) {
        const int i = own_.low[d] + at[d], last = own_.whole[d] - (d == c ? 0 : 1);
        if (i < 2 || i + 2 > last) return false;
      }
      const int place = region_.padded_index(at[0] + own_.low[0] - region_.low[0], at[1] + own_.low[1] - region_.low[1],
                                             at[2] + own_.low[2] - region_.low[2]);
      for (int t = 0; t < dim; ++t) {
        const int st = region_.stride(t);
        for (int a = -2; a <= 2; ++a)
          if (!kind_is(c, place + a * st, fluid_node)) return false;
        if (t == c) continue;
        for (int e = -1; e <= 2; ++e)
          for (int a = -2; a <= 1; ++a)
            if (!kind_is(t, place + e * st + a * s, ghost_node)) return false;
      }
      return true;
    };
    std::size_t q = 0;
    for (int k = 0; k < box.nz; ++k)
      for (int j = 0; j < box.ny; ++j)
        for (int i = 0; i < box.nx; ++i, ++q) {
          int at[3] = {i, j, k};
          at[c] += own_.first(c);
          use[q] = fits(at) ? 1 : 0;
        }
    use_[c] = Array<unsigned char, Space>(use);
  }
}

template <class Space>
template <int dim>
void FourthOrder<Space>::correct_in(const Flow<Space>& wide, const Metrics& m, int c, double weight,
                                    View<double> advection, View<double> rhs) const {
  AdvectionView v{};
  for (int d = 0; d < 3; ++d) {
    v.stride[d] = region_.stride(d);
    v.line[d] = line_[d == c ? 1 : 0][d].data();
    v.metric[d] = m.line[d];
  }
  for (int d = 0; d < dim; ++d)
    v.velocity[d] =
        wide.component(d).at(own_.low[0] - region_.low[0], own_.low[1] - region_.low[1], own_.low[2] - region_.low[2]);
  const Extents box = own_.unknowns(c);
  const int i0 = c == 0 ? own_.first(0) : 0, j0 = c == 1 ? own_.first(1) : 0, k0 = c == 2 ? own_.first(2) : 0;
  const int sy = region_.stride(1), sz = region_.stride(2);
  const unsigned char* use = use_[c].data();
  double *adv = advection.data(), *b = rhs.data();
  for_each<Space>(box, [=] WEIR_HD(int ii, int jj, int kk) {
    const int q = box.index(ii, jj, kk), at[3] = {ii + i0, jj + j0, kk + k0};
    if (!use[q]) return;
    const double here = advection_at<dim>(v, c, at, at[0] + at[1] * sy + at[2] * sz);
    b[q] -= weight * (here - adv[q]);
    adv[q] = here;
  });
}

template <class Space>
void FourthOrder<Space>::correct(const Flow<Space>& wide, const Metrics& m, int c, double weight,
                                 View<double> advection, View<double> rhs) const {
  if (own_.dim == 2)
    correct_in<2>(wide, m, c, weight, advection, rhs);
  else
    correct_in<3>(wide, m, c, weight, advection, rhs);
}

template class FourthOrder<Host>;
template class FourthOrder<Device>;

}  // namespace weir
