// Device form: one thread per column of cells (columns.hpp), i along the lanes, so loads of x, W, E, S, N, B, T are
// contiguous; the 1D arrays stay in cache. Bytes: two vectors (three for a residual). Sums use the fixed tree of
// reduce.hpp and are reproducible bit for bit.
#include "solvers/matrix/stencil/separable_stencil.hpp"

#include <limits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "solvers/device/columns.hpp"

namespace weir {
namespace separable_products {

// Cell c - stride, wrapped if periodic; otherwise c itself at the end, where the coupling is zero.
WEIR_HD inline int low_neighbour(int c, int i, int stride, const StencilAxis& a) {
  return i > 0 ? c - stride : (a.periodic ? c + stride * (a.n - 1) : c);
}
WEIR_HD inline int high_neighbour(int c, int i, int stride, const StencilAxis& a) {
  return i + 1 < a.n ? c + stride : (a.periodic ? c - stride * (a.n - 1) : c);
}

WEIR_HD inline double diagonal_at(const StencilView& s, int i, int j, int k) {
  const double mx = s.X.mass[i], my = s.Y.mass[j], mz = s.Z.mass[k];
  return mx * (s.shift * my * mz + s.scale * (mz * s.Y.diagonal[j] + my * s.Z.diagonal[k])) +
         s.scale * my * mz * s.X.diagonal[i];
}

struct StencilColumn {
  const StencilView& s;
  int first, plane, west, east, south, north;  // the cell of k = 0; offsets of the neighbours
  double mx, my, inverse_area;
  double low_x, up_x, low_y, up_y, diagonal_x, diagonal_y;

  WEIR_HD StencilColumn(const StencilView& view, int i, int j) : s(view), plane(s.X.n * s.Y.n) {
    first = j * s.X.n + i;
    west = low_neighbour(0, i, 1, s.X), east = high_neighbour(0, i, 1, s.X);
    south = low_neighbour(0, j, s.X.n, s.Y), north = high_neighbour(0, j, s.X.n, s.Y);
    mx = s.X.mass[i], my = s.Y.mass[j], inverse_area = s.X.inverse_mass[i] * s.Y.inverse_mass[j];
    low_x = s.X.lower[i], up_x = s.X.upper[i], diagonal_x = s.X.diagonal[i];
    low_y = s.Y.lower[j], up_y = s.Y.upper[j], diagonal_y = s.Y.diagonal[j];
  }
  // (A x)_c, c = first + k plane.
  WEIR_HD double product(const double* x, int c, int k) const {
    const double mz = s.Z.mass[k];
    const double along_x = low_x * x[c + west] + up_x * x[c + east],
                 along_y = low_y * x[c + south] + up_y * x[c + north];
    const double along_z =
        s.Z.lower[k] * x[low_neighbour(c, k, plane, s.Z)] + s.Z.upper[k] * x[high_neighbour(c, k, plane, s.Z)];
    const double diagonal =
        mx * (s.shift * my * mz + s.scale * (mz * diagonal_y + my * s.Z.diagonal[k])) + s.scale * my * mz * diagonal_x;
    return diagonal * x[c] - s.scale * (my * mz * along_x + mx * (mz * along_y + my * along_z));
  }
  WEIR_HD double inverse_volume(int k) const { return inverse_area * s.Z.inverse_mass[k]; }
};

// y[c] = value(of, c, k) for every cell. A column is written after all of it has been read.
template <int Layers, class F>
void set_layers(const StencilView& s, double* y, const F& value) {
  for_each<Device>(Extents{s.X.n, s.Y.n, parts(s.Z.n, Layers)}, [=] WEIR_HD(int i, int j, int column) {
    const StencilColumn of(s, i, j);
    double v[Layers];
    for_column<Layers>(column, s.Z.n, [&](int k, int l) { v[l] = value(of, of.first + k * of.plane, k); });
    for_column<Layers>(column, s.Z.n, [&](int k, int l) { y[of.first + k * of.plane] = v[l]; });
  });
}
template <class F>
void set_cells(const StencilView& s, double* y, const F& value) {
  by_columns<Device>(s.extents(), [&]<int Layers>() { set_layers<Layers>(s, y, value); });
}

// Adds up cell(of, c, k) over all cells, a double or a Pair.
template <int Layers, class T, class F>
T sum_layers(const StencilView& s, const F& cell) {
  const TileOrder order({s.X.n, s.Y.n, parts(s.Z.n, Layers)});
  const auto column_sum = [=] WEIR_HD(int index) {
    T all{};
    int i, j, column;
    if (!order.find(index, i, j, column)) return all;
    const StencilColumn of(s, i, j);
    for_column<Layers>(column, s.Z.n, [&](int k) { all = all + cell(of, of.first + k * of.plane, k); });
    return all;
  };
  if constexpr (std::is_same_v<T, Pair>)
    return sum2<Device>(order.count(), column_sum);
  else
    return sum<Device>(order.count(), column_sum);
}
template <class T, class F>
T sum_cells(const StencilView& s, const F& cell) {
  return by_columns<Device>(s.extents(), [&]<int Layers>() { return sum_layers<Layers, T>(s, cell); });
}

Pair product(Device, const StencilView& s, Product p, const double* b, const double* x, double* y) {
  switch (p) {
    case Product::apply:
      set_cells(s, y, [=] WEIR_HD(const StencilColumn& of, int c, int k) { return of.product(x, c, k); });
      return {};
    case Product::apply_dot:
      return {sum_cells<double>(s,
                                [=] WEIR_HD(const StencilColumn& of, int c, int k) {
                                  const double v = of.product(x, c, k);
                                  y[c] = v;
                                  return v * x[c];
                                }),
              0};
    case Product::apply_dots:
      return sum_cells<Pair>(s, [=] WEIR_HD(const StencilColumn& of, int c, int k) {
        const double v = of.product(x, c, k);
        y[c] = v;
        return Pair{v * b[c], v * v};
      });
    case Product::residual:
      set_cells(s, y, [=] WEIR_HD(const StencilColumn& of, int c, int k) { return b[c] - of.product(x, c, k); });
      return {};
    default:
      return {sum_cells<double>(s,
                                [=] WEIR_HD(const StencilColumn& of, int c, int k) {
                                  const double v = b[c] - of.product(x, c, k);
                                  y[c] = v;
                                  return v * v;
                                }),
              0};
  }
}

Pair chebyshev_start(Device, const StencilView& s, double omega, const double* b, const double* x, double* y) {
  return sum_cells<Pair>(s, [=] WEIR_HD(const StencilColumn& of, int c, int k) {
    const double r = b[c] - of.product(x, c, k);
    y[c] = x[c] + omega * of.inverse_volume(k) * r;
    return Pair{r * r, b[c] * b[c]};
  });
}

void chebyshev_step(const StencilView& s, const ChebyshevSteps& steps, int p, const double* b, const double* x,
                    double* y) {
  const double alpha = steps.alpha[p], omega = steps.omega[p];
  set_cells(s, y, [=] WEIR_HD(const StencilColumn& of, int c, int k) {
    const double r = b[c] - of.product(x, c, k);
    return x[c] + alpha * (x[c] - y[c]) + omega * of.inverse_volume(k) * r;
  });
}

double chebyshev_steps(Device, const StencilView& s, const ChebyshevSteps& steps, const double* b, double* x,
                       double* y) {
  for (int p = 0; p < steps.count; ++p) {
    chebyshev_step(s, steps, p, b, x, y);
    std::swap(x, y);
  }
  if (!steps.residual) return 0;
  return sum_cells<double>(s, [=] WEIR_HD(const StencilColumn& of, int c, int k) {
    const double r = b[c] - of.product(x, c, k);
    return r * r;
  });
}

template <class Space>
void diagonal(const StencilView& s, int first, View<double> d) {
  for_each<Space>(static_cast<int>(d.size()), [=] WEIR_HD(int at) {
    const int c = first + at;
    d[at] = diagonal_at(s, c % s.X.n, c / s.X.n % s.Y.n, c / s.X.n / s.Y.n);
  });
}

}  // namespace separable_products

namespace {

std::vector<double> pack(const SeparableOperator& op) {
  std::vector<double> packed;
  for (const auto& d : op.direction) {
    packed.insert(packed.end(), d.mass.begin(), d.mass.end());
    packed.insert(packed.end(), d.lower.begin(), d.lower.end());
    packed.insert(packed.end(), d.upper.begin(), d.upper.end());
    for (std::size_t i = 0; i < d.mass.size(); ++i) packed.push_back(d.lower[i] + d.upper[i] + d.boundary[i]);
    for (const double mass : d.mass) packed.push_back(1 / mass);
  }
  return packed;
}

Extents checked_extents(const SeparableOperator& op) {
  const Extents e = op.extents();
  if (std::int64_t{e.nx} * e.ny > std::numeric_limits<int>::max() / std::max(1, e.nz))
    throw Error(Exit::usage, "a matrix of more than 2^31 - 1 rows is not supported");
  return e;
}

}  // namespace

template <class Space>
SeparableStencil<Space>::SeparableStencil(SeparableOperator op)
    : operator_(std::move(op)), extents_(checked_extents(operator_)), coefficients_(pack(operator_)) {}

template <class Space>
void SeparableStencil<Space>::set_coefficients(double shift, double scale) {
  operator_.shift = shift;
  operator_.scale = scale;
}

template <class Space>
StencilView SeparableStencil<Space>::view() const {
  StencilView v;
  const double* at = coefficients_.data();
  StencilAxis* axis[] = {&v.X, &v.Y, &v.Z};
  for (std::size_t d = 0; d < 3; ++d) {
    const int n = operator_.direction[d].size();
    *axis[d] = {at, at + n, at + 2 * n, at + 3 * n, at + 4 * n, n, operator_.direction[d].periodic};
    at += 5 * n;
  }
  v.shift = operator_.shift;
  v.scale = operator_.scale;
  v.beyond = beyond_;
  return v;
}

template <class Space>
void SeparableStencil<Space>::block_diagonal(int first, View<double> d) const {
  separable_products::diagonal<Space>(view(), first, d);
}
template <class Space>
Work SeparableStencil<Space>::apply_work() const {
  const std::int64_t n = extents_.count();
  return {16 * n, 17 * n};
}

template class SeparableStencil<Host>;
template class SeparableStencil<Device>;

}  // namespace weir
