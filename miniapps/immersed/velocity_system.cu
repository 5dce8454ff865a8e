#include "miniapps/immersed/velocity_system.hpp"

#include <vector>

#include "solvers/device/for_each.hpp"

namespace weir {
namespace {

int first_unknown(const Layout& l, int c) { return l.origin() + (c < l.dim ? l.first(c) * l.stride(c) : 0); }

template <class Space>
const Array<double, Space>& field_of(const Flow<Space>& flow, int c) {
  return c >= scalar_nodes ? flow.scalars[static_cast<std::size_t>(c - scalar_nodes)] : flow.velocity[c];
}

}  // namespace

template <class Space>
OperatorLines<Space>::OperatorLines(const SeparableOperator& op, const RankBox& box) {
  for (std::size_t d = 0; d < 3; ++d) {
    const SeparableDirection& from = op.direction[d];
    n_[d] = box.size(static_cast<int>(d));
    const auto n = static_cast<std::size_t>(n_[d]);
    std::vector<double> v(4 * n);
    for (std::size_t q = 0; q < n; ++q) {
      const std::size_t i = q + static_cast<std::size_t>(box.low[d]);
      v[q] = from.lower[i] / from.mass[i];
      v[n + q] = from.upper[i] / from.mass[i];
      v[2 * n + q] = (from.lower[i] + from.upper[i] + from.boundary[i]) / from.mass[i];
      v[3 * n + q] = from.mass[i];
    }
    values_[d] = Array<double, Space>(v);
  }
}

template <class Space>
typename OperatorLines<Space>::Line OperatorLines<Space>::line(int d) const {
  const double* v = values_[d].data();
  return {v, v + n_[d], v + 2 * n_[d], v + 3 * n_[d]};
}

template <class Space>
void assemble_velocity(const Layout& l, int c, const OperatorLines<Space>& lines, double s, const CutArrays<Space>& cut,
                       Banded<Space>& A) {
  const BlockStencilView a = A.stencil();
  const Extents box = l.unknowns(c);
  const auto X = lines.line(0), Y = lines.line(1), Z = lines.line(2);
  const int sy = l.stride(1), sz = l.stride(2), dim = l.dim;
  const int first = first_unknown(l, c);
  const unsigned char* kind = cut.kind(c);
  for_each<Space>(box, [=] WEIR_HD(int i, int j, int k) {
    const int q = box.index(i, j, k);
    const bool fluid = kind[first + i + j * sy + k * sz] >= fluid_node;
    const double f = fluid ? s : 0;
    a.slot_blocks(slot::delta)[q] = 1 + f * (X.diagonal[i] + Y.diagonal[j] + (dim == 3 ? Z.diagonal[k] : 0.0));
    a.slot_blocks(slot::gamma)[q] = -f * X.lower[i];
    a.slot_blocks(slot::epsilon)[q] = -f * X.upper[i];
    a.slot_blocks(slot::beta)[q] = -f * Y.lower[j];
    a.slot_blocks(slot::zeta)[q] = -f * Y.upper[j];
    if (dim == 3) {
      a.slot_blocks(slot::alpha)[q] = -f * Z.lower[k];
      a.slot_blocks(slot::eta)[q] = -f * Z.upper[k];
    }
  });
  const RowsView r = cut.rows(c);
  for_each<Space>(r.rows, [=] WEIR_HD(int q) {
    const InterpolationRow& row = r.row[q];
    for (int e = a.first; e < a.first + a.slots; ++e) a.slot_blocks(e)[row.row] *= 1 - row.blend;
    a.slot_blocks(slot::delta)[row.row] += row.blend * row.self;
  });
}

RemainderData remainder_of(const InterpolationRows& rows) {
  RemainderData remainder;
  remainder.start.push_back(0);
  for (const InterpolationRow& row : rows.row) {
    remainder.row.push_back(row.row);
    for (int e = row.begin; e < row.end; ++e)
      if (const InterpolationEntry& entry = rows.entry[e]; entry.column >= 0) {
        remainder.column.push_back(entry.column);
        remainder.value.push_back(row.blend * entry.weight);
      }
    remainder.start.push_back(static_cast<int>(remainder.column.size()));
  }
  return remainder;
}

template <class Space>
void finish_velocity_rhs(const Flow<Space>& flow, const Flow<Space>& wide, int c, const OperatorLines<Space>& lines,
                         const CutArrays<Space>& cut, double euler, View<double> advection, View<double> rhs) {
  const Layout& l = flow.layout;
  const Extents box = l.unknowns(c);
  const auto X = lines.line(0), Y = lines.line(1), Z = lines.line(2);
  const int sy = l.stride(1), sz = l.stride(2);
  const int first = first_unknown(l, c);
  const unsigned char* kind = cut.kind(c);
  double *b = rhs.data(), *advected = advection.data();
  for_each<Space>(box, [=] WEIR_HD(int i, int j, int k) {
    const int q = box.index(i, j, k);
    const unsigned char what = kind[first + i + j * sy + k * sz];
    const double sum = b[q] - (what == recent_node ? euler * advected[q] : 0.0);
    b[q] = what >= fluid_node ? sum / (X.mass[i] * Y.mass[j] * Z.mass[k]) : 0.0;
    if (what < fluid_node) advected[q] = 0;
  });
  const RowsView r = cut.rows(c);
  const double* u = field_of(wide, c).data();
  for_each<Space>(r.rows, [=] WEIR_HD(int q) {
    const InterpolationRow& row = r.row[q];
    double sum = row.self * u[row.node];
    for (int e = row.begin; e < row.end; ++e) sum += r.entry[e].weight * u[r.entry[e].place];
    b[row.row] = (1 - row.blend) * b[row.row] + row.blend * (row.target - sum);
  });
}

template <class Space>
void set_ghost_nodes(const Flow<Space>& wide, int c, const CutArrays<Space>& cut, View<double> work,
                     Flow<Space>& flow) {
  const Layout& l = flow.layout;
  const Extents box = l.unknowns(c);
  const int sy = l.stride(1), sz = l.stride(2), first = first_unknown(l, c);
  const unsigned char* kind = cut.kind(c);
  const RowsView r = cut.rows(c);
  const double* from = wide.velocity[c].data();
  double *value = work.data(), *u = flow.velocity[c].data();
  for_each<Space>(r.rows, [=] WEIR_HD(int q) {
    double sum = 0;
    for (int e = r.row[q].begin; e < r.row[q].end; ++e) sum += r.entry[e].weight * from[r.entry[e].place];
    value[q] = (r.row[q].target - sum) / r.row[q].self;
  });
  for_each<Space>(r.rows, [=] WEIR_HD(int q) {
    const int n = r.row[q].row, i = n % box.nx, j = n / box.nx % box.ny, k = n / (box.nx * box.ny);
    const int at = first + i + j * sy + k * sz;
    if (kind[at] == ghost_node) u[at] = value[q];
  });
}

#define WEIR_VELOCITY_SYSTEM(S)                                                                                \
  template class OperatorLines<S>;                                                                             \
  template void assemble_velocity<S>(const Layout&, int, const OperatorLines<S>&, double, const CutArrays<S>&, \
                                     Banded<S>&);                                                              \
  template void finish_velocity_rhs<S>(const Flow<S>&, const Flow<S>&, int, const OperatorLines<S>&,           \
                                       const CutArrays<S>&, double, View<double>, View<double>);               \
  template void set_ghost_nodes<S>(const Flow<S>&, int, const CutArrays<S>&, View<double>, Flow<S>&);
WEIR_VELOCITY_SYSTEM(Host)
WEIR_VELOCITY_SYSTEM(Device)
#undef WEIR_VELOCITY_SYSTEM

}  // namespace weir
