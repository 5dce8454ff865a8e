#include "miniapps/artificial_compressibility/boundary.hpp"

#include "miniapps/structured/metrics.hpp"
#include "solvers/device/for_each.hpp"

namespace weir {
namespace {

// The parabolic inlet profile in cell i of a direction.
WEIR_HD inline double shape(const CoupledLine& line, int first, int last, int i) {
  const double low = line.centre[first] - 0.5 * line.h[first], high = line.centre[last] + 0.5 * line.h[last];
  const double inv_length = 1 / (high - low), half = 0.5 * line.h[i];
  return mean_parabola((line.centre[i] - half - low) * inv_length, (line.centre[i] + half - low) * inv_length);
}

template <class Space>
void fill_periodic(const CoupledView& v, int d) {
  const CoupledCells c = v.cells;
  const SidePlane p(c, 2 * d);
  const int N = c.unknowns, step = c.stride(d) * N, n = c.n[d], layers = CoupledCells::ghosts;
  double* x = v.x;
  for_each<Space>(p.box, [=] WEIR_HD(int a, int b, int) {
    double* first = x + (p.first + a * p.s1 + b * p.s2) * N;
    for (int layer = 0; layer < layers; ++layer) {
      const int from_high = (2 * n - 1 - layer) % n, from_low = layer % n;  // also where n < layers
      for (int q = 0; q < N; ++q) {
        first[q - (layer + 1) * step] = first[q + from_high * step];
        first[q + (n + layer) * step] = first[q + from_low * step];
      }
    }
  });
}

template <class Space>
void fill_side(const SideRule& rule, const CoupledView& v, int side) {
  const CoupledCells c = v.cells;
  const SidePlane p(c, side);
  const int N = c.unknowns, step = p.inward * N, behind = c.n[p.d] > 1 ? step : 0;
  const CoupledLine line1 = v.line[p.t1], line2 = v.line[p.t2];
  const int first1 = c.first_of_all(p.t1), last1 = c.last_of_all(p.t1), first2 = c.first_of_all(p.t2),
            last2 = c.last_of_all(p.t2);
  double* x = v.x;
  for_each<Space>(p.box, [=] WEIR_HD(int a, int b, int) {
    double* own = x + (p.first + a * p.s1 + b * p.s2) * N;
    const double f1 = rule.shaped[0] ? shape(line1, first1, last1, a) : 1,
                 f2 = rule.shaped[1] ? shape(line2, first2, last2, b) : 1;
    for (int q = 0; q < N; ++q)
      own[q - step] = rule.own[q] * own[q] + rule.next[q] * own[q + behind] + f1 * f2 * rule.given[q];
  });
}

template <class Space>
void fold_side(const SideRule& rule, const CoupledCells& c, int side, const BlockStencilView& A) {
  const SidePlane p(c, side);
  const int outward = p.high ? slot::epsilon + p.d : slot::gamma - p.d, inward = slot::count - 1 - outward;
  for_each<Space>(p.box, [=] WEIR_HD(int a, int b, int) {
    const int cell = p.cell(c, a, b);
    const double* ghost = A.block(cell, outward);
    double* own = A.block(cell, slot::delta);
    double* next = A.block(cell, inward);
    for (int v = 0; v < A.n; ++v)
      for (int u = 0; u < A.n; ++u) {
        own[v * A.n + u] += ghost[v * A.n + u] * rule.own[v];
        if (rule.next[v] != 0) next[v * A.n + u] += ghost[v * A.n + u] * rule.next[v];
      }
  });
}

// Linear extrapolation to the side, mirrored: p_ghost = 2 p_side - p_0, p_side = p_0 + s (p_0 - p_1).
void extrapolate_pressure(const IncompressibleCase& c, int d, int end, SideRule& r) {
  const auto& h = c.grid.line[d].width;
  r.own[0] = 1;
  if (h.size() < 2) return;
  const double h0 = end ? h.back() : h.front(), h1 = end ? h[h.size() - 2] : h[1], s = h0 / (h0 + h1);
  r.own[0] = 1 + 2 * s;
  r.next[0] = -2 * s;
}

SideRule side_rule(const IncompressibleCase& c, int dim, int n, double t) {
  const int d = n / 2, end = n % 2;
  const SidePatch& side = c.side(d, end);
  SideRule r;
  if (side.type == SidePatch::Type::periodic) {
    r.periodic = true;
    for (double& own : r.own) own = 1;
    return r;
  }
  const bool outlet = side.type == SidePatch::Type::outlet, slip = side.type == SidePatch::Type::slip;
  for (int e = 0; e < dim; ++e) {
    r.own[1 + e] = outlet || (slip && e != d) ? 1 : -1;
    if (!outlet && !slip) r.given[1 + e] = 2 * side.velocity[e] * side.modulation.at(t);
  }
  if (outlet)
    r.own[0] = -1;
  else
    extrapolate_pressure(c, d, end, r);
  if (c.turbulence == Turbulence::k_omega) {
    r.own[dim + 1] = slip ? 1 : -1;  // k = 0 on a wall
    r.own[dim + 2] = 1;              // used next to a slip side only: wall cells have no equation for omega
  }
  const int across[2] = {d == 0 ? 1 : 0, d == 2 ? 1 : 2};
  for (int q = 0; q < 2; ++q)
    r.shaped[q] = side.profile == SidePatch::Profile::parabolic && across[q] < dim && !c.is_periodic(across[q]);
  return r;
}

}  // namespace

CoupledCells coupled_cells(const IncompressibleCase& c, int unknowns) {
  CoupledCells cells;
  static_cast<GridPart&>(cells) = make_layout(c);
  cells.unknowns = unknowns;
  return cells;
}

SideRules side_rules(const IncompressibleCase& c, const CoupledCells& cells, double t) {
  SideRules rules;
  for (int s = 0; s < 2 * cells.dim; ++s) rules.side[s] = side_rule(c, cells.dim, s, t);
  return rules;
}

template <class Space>
void fill_ghosts(const SideRules& rules, const CoupledView& v) {
  for (int s = 0; s < 2 * v.cells.dim; ++s) {
    if (v.cells.cut[s]) continue;
    if (!rules.side[s].periodic)
      fill_side<Space>(rules.side[s], v, s);
    else if (s % 2 == 0)
      fill_periodic<Space>(v, s / 2);
  }
}

template <class Space>
void fold_ghosts(const SideRules& rules, const CoupledCells& cells, const BlockStencilView& A) {
  for (int s = 0; s < 2 * cells.dim; ++s)
    if (!cells.cut[s] && (!rules.side[s].periodic || cells.n[s / 2] == 1)) fold_side<Space>(rules.side[s], cells, s, A);
}

template void fill_ghosts<Host>(const SideRules&, const CoupledView&);
template void fill_ghosts<Device>(const SideRules&, const CoupledView&);
template void fold_ghosts<Host>(const SideRules&, const CoupledCells&, const BlockStencilView&);
template void fold_ghosts<Device>(const SideRules&, const CoupledCells&, const BlockStencilView&);

}  // namespace weir
