#include "miniapps/immersed/pressure_system.hpp"

#include "solvers/device/for_each.hpp"
#include "solvers/distributed/sum_over_ranks.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {
namespace {

// alpha A / m of the low face of direction d of cell (i, j, k): what psi's difference across it is multiplied by.
WEIR_HD inline double coupling(const Metrics& m, int d, const double* alpha, int place, int i, int j, int k) {
  const int at[3] = {i, j, k};
  double area = m.line[d].inv_m[at[d]];
  for (int e = 0; e < 3; ++e)
    if (e != d) area *= m.line[e].h[at[e]];
  return area * alpha[place];
}

struct AlphaView {
  const double* of[3] = {};
  int step[3] = {};
  int n[3] = {};
  bool open[6] = {};  // sides beyond which cells go on
  int origin = 0, dim = 3;
};

template <class Space>
AlphaView alpha_view(const Layout& l, const CutArrays<Space>& cut) {
  AlphaView v;
  for (int d = 0; d < 3; ++d) {
    v.of[d] = d < l.dim ? cut.alpha(d) : nullptr;
    v.step[d] = l.stride(d);
    v.n[d] = l.n[d];
    for (int end = 0; end < 2; ++end) v.open[2 * d + end] = !l.is_side(2 * d + end);
  }
  v.origin = l.origin();
  v.dim = l.dim;
  return v;
}

}  // namespace

template <class Space>
void assemble_pressure(const Layout& l, const Metrics& m, const CutArrays<Space>& cut, Banded<Space>& A) {
  const BlockStencilView a = A.stencil();
  const Extents cells = l.cells();
  const AlphaView v = alpha_view(l, cut);
  const unsigned char* wet = cut.wet();
  for_each<Space>(cells, [=] WEIR_HD(int i, int j, int k) {
    const int q = cells.index(i, j, k), at[3] = {i, j, k};
    const int place = v.origin + i + j * v.step[1] + k * v.step[2];
    double diagonal = 0;
    for (int d = 0; d < v.dim; ++d) {
      const bool has_low = at[d] > 0 || v.open[2 * d], has_high = at[d] + 1 < v.n[d] || v.open[2 * d + 1];
      const double low = has_low ? coupling(m, d, v.of[d], place, i, j, k) : 0;
      const double high =
          has_high ? coupling(m, d, v.of[d], place + v.step[d], i + (d == 0), j + (d == 1), k + (d == 2)) : 0;
      const int low_slot = d == 0 ? slot::gamma : d == 1 ? slot::beta : slot::alpha;
      a.slot_blocks(low_slot)[q] = -low;
      a.slot_blocks(6 - low_slot)[q] = -high;
      diagonal += low + high;
    }
    a.slot_blocks(slot::delta)[q] = wet[q] ? diagonal : 1.0;
  });
  A.set_symmetric(true);
}

template <class Space>
void minus_mass_balance(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut, View<double> b) {
  const Layout& l = flow.layout;
  const Extents cells = l.cells();
  const AlphaView v = alpha_view(l, cut);
  const double* u[3] = {flow.velocity[0].data(), flow.velocity[1].data(), flow.velocity[2].data()};
  const double *u0 = u[0], *u1 = u[1], *u2 = u[2];
  const unsigned char* wet = cut.wet();
  const double* body = cut.body_flux();
  double* out = b.data();
  for_each<Space>(cells, [=] WEIR_HD(int i, int j, int k) {
    const int q = cells.index(i, j, k), p = v.origin + i + j * v.step[1] + k * v.step[2];
    const double hx = m.line[0].h[i], hy = m.line[1].h[j], hz = m.line[2].h[k];
    double sum = (v.of[0][p + 1] * u0[p + 1] - v.of[0][p] * u0[p]) * (hy * hz) +
                 (v.of[1][p + v.step[1]] * u1[p + v.step[1]] - v.of[1][p] * u1[p]) * (hx * hz);
    if (v.dim == 3) sum += (v.of[2][p + v.step[2]] * u2[p + v.step[2]] - v.of[2][p] * u2[p]) * (hx * hy);
    out[q] = wet[q] ? -(sum + body[q]) : 0.0;
  });
}

template <class Space>
double max_mass_error(const Layout& l, const Metrics& m, View<const double> b) {
  const Extents cells = l.cells();
  const double* x = b.data();
  return max_abs<Space>(cells.count(), [=] WEIR_HD(int q) {
    const int i = q % cells.nx, j = q / cells.nx % cells.ny, k = q / (cells.nx * cells.ny);
    return x[q] * m.line[0].inv_h[i] * m.line[1].inv_h[j] * m.line[2].inv_h[k];
  });
}

template <class Space>
void correct_open_faces(const Metrics& m, const CutArrays<Space>& cut, View<const double> psi, Flow<Space>& flow,
                        const PsiBelow& below) {
  const Layout& l = flow.layout;
  const Extents cells = l.cells();
  const double* x = psi.data();
  for (int d = 0; d < l.dim; ++d) {
    const Extents box = l.unknowns(d);
    const int first = l.first(d), n = l.n[d], step = d == 0 ? 1 : d == 1 ? cells.nx : cells.nx * cells.ny;
    const int sy = l.stride(1), sz = l.stride(2), origin = l.origin();
    double* u = flow.velocity[d].data();
    const double *alpha = cut.alpha(d), *inv_m = m.line[d].inv_m, *other_rank = l.cut[2 * d] ? below.plane[d] : nullptr;
    const int nx = d == 0 ? 1 : cells.nx, ny = d == 1 ? 1 : cells.ny;  // of the plane below
    for_each<Space>(box, [=] WEIR_HD(int ii, int jj, int kk) {
      const int i = ii + (d == 0 ? first : 0), j = jj + (d == 1 ? first : 0), k = kk + (d == 2 ? first : 0);
      const int p = origin + i + j * sy + k * sz, q = cells.index(i, j, k), at = d == 0 ? i : d == 1 ? j : k;
      if (!(alpha[p] > 0)) return;
      double low = 0;
      if (at > 0 || !other_rank)
        low = x[at > 0 ? q - step : q + (n - 1) * step];
      else
        low = other_rank[(d == 0 ? 0 : i) + nx * ((d == 1 ? 0 : j) + ny * (d == 2 ? 0 : k))];
      u[p] -= (x[q] - low) * inv_m[at];
    });
  }
}

template <class Space>
void OpenFaces<Space>::open(const CutArrays<Space>& cut, const Flow<Space>& wide, Flow<Space>& flow) {
  for (int d = 0; d < flow.layout.dim; ++d) {
    const int n = cut.cut_face_count(d);
    node_[d].resize(n);
    open_[d].resize(n);
    const CutFace* face = cut.cut_faces(d);
    const double* from = wide.velocity[d].data();
    double *u = flow.velocity[d].data(), *node = node_[d].data(), *open = open_[d].data();
    for_each<Space>(n, [=] WEIR_HD(int q) {
      const CutFace f = face[q];
      const double *at = from + f.from, here = *at, u0 = at[f.step[0]], u1 = at[f.step[1]];
      node[q] = here;
      double sum = here + f.near[0] * (u0 - here) + f.near[1] * (u1 - here);
      // Without a weight there may be no such node.
      if (f.far[0] != 0) sum += f.far[0] * (at[2 * f.step[0]] - here);
      if (f.far[1] != 0) sum += f.far[1] * (at[2 * f.step[1]] - here);
      if (f.corner != 0) sum += f.corner * (at[f.step[0] + f.step[1]] - u0 - u1 + here);
      open[q] = sum;
    });
    for_each<Space>(n, [=] WEIR_HD(int q) { u[face[q].place] = open[q]; });
  }
}

template <class Space>
void OpenFaces<Space>::close(const CutArrays<Space>& cut, Flow<Space>& flow) {
  for (int d = 0; d < flow.layout.dim; ++d) {
    const CutFace* face = cut.cut_faces(d);
    double *u = flow.velocity[d].data(), *open = open_[d].data();
    const double* node = node_[d].data();
    for_each<Space>(open_[d].size(), [=] WEIR_HD(int q) {
      const double projected = u[face[q].place];
      u[face[q].place] = node[q] + (projected - open[q]);
      open[q] = projected;
    });
  }
}

template <class Space>
void OpenFaces<Space>::swap(const CutArrays<Space>& cut, Flow<Space>& flow) {
  for (int d = 0; d < flow.layout.dim; ++d) {
    const CutFace* face = cut.cut_faces(d);
    double *u = flow.velocity[d].data(), *open = open_[d].data();
    for_each<Space>(open_[d].size(), [=] WEIR_HD(int q) {
      const double kept = open[q];
      open[q] = u[face[q].place];
      u[face[q].place] = kept;
    });
  }
}

template <class Space>
double remove_wet_mean(const CutArrays<Space>& cut, const Communicator& ranks, int wet_cells, View<double> x) {
  const auto n = static_cast<int>(x.size());
  double* v = x.data();
  const unsigned char* wet = cut.wet();
  const double mean = sum_over_ranks<Space>(ranks, n, [=] WEIR_HD(int q) { return wet[q] ? v[q] : 0.0; }) / wet_cells;
  for_each<Space>(n, [=] WEIR_HD(int q) { v[q] = wet[q] ? v[q] - mean : 0.0; });
  return mean;
}

template <class Space>
void extend_pressure(const unsigned char* wet, const Flow<Space>& wide, Flow<Space>& flow) {
  const Layout &l = wide.layout, &own = flow.layout;
  const int nx = l.n[0], ny = l.n[1], nz = l.n[2], s1 = nx, s2 = nx * ny, deep = l.dim == 3 ? 1 : 0;
  const int sy = l.stride(1), sz = l.stride(2), ty = own.stride(1), tz = own.stride(2);
  const int i0 = own.low[0] - l.low[0], j0 = own.low[1] - l.low[1], k0 = own.low[2] - l.low[2];
  const double* p = wide.pressure().at(0, 0, 0);
  double* out = flow.pressure().at(0, 0, 0);
  for_each<Space>(own.cells(), [=] WEIR_HD(int io, int jo, int ko) {
    const int i = io + i0, j = jo + j0, k = ko + k0;
    if (wet[i + j * s1 + k * s2] == held_cell) return;
    double total = 0;
    int count = 0;
    for (int dk = -deep; dk <= deep; ++dk)
      for (int dj = -1; dj <= 1; ++dj)
        for (int di = -1; di <= 1; ++di) {
          const int a = i + di, b = j + dj, e = k + dk;
          if (a < 0 || a >= nx || b < 0 || b >= ny || e < 0 || e >= nz || wet[a + b * s1 + e * s2] != held_cell)
            continue;
          const int a2 = a + di, b2 = b + dj, e2 = e + dk;
          const bool far = a2 >= 0 && a2 < nx && b2 >= 0 && b2 < ny && e2 >= 0 && e2 < nz &&
                           wet[a2 + b2 * s1 + e2 * s2] == held_cell;
          const double near_value = p[a + b * sy + e * sz];
          total += far ? 2 * near_value - p[a2 + b2 * sy + e2 * sz] : near_value;
          ++count;
        }
    if (count > 0) out[io + jo * ty + ko * tz] = total / count;
  });
}

#define WEIR_PRESSURE_SYSTEM(S)                                                                           \
  template void assemble_pressure<S>(const Layout&, const Metrics&, const CutArrays<S>&, Banded<S>&);     \
  template void minus_mass_balance<S>(const Flow<S>&, const Metrics&, const CutArrays<S>&, View<double>); \
  template double max_mass_error<S>(const Layout&, const Metrics&, View<const double>);                   \
  template void correct_open_faces<S>(const Metrics&, const CutArrays<S>&, View<const double>, Flow<S>&,  \
                                      const PsiBelow&);                                                   \
  template class OpenFaces<S>;                                                                            \
  template double remove_wet_mean<S>(const CutArrays<S>&, const Communicator&, int, View<double>);        \
  template void extend_pressure<S>(const unsigned char*, const Flow<S>&, Flow<S>&);
WEIR_PRESSURE_SYSTEM(Host)
WEIR_PRESSURE_SYSTEM(Device)
#undef WEIR_PRESSURE_SYSTEM

}  // namespace weir
