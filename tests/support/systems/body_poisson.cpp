#include "tests/support/systems/body_poisson.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "mesh/structured/grid.hpp"

namespace weir::test {
namespace {

using Index = std::size_t;
using Point = std::array<double, 3>;

struct Geometry {
  BodyOptions o;
  std::array<std::vector<double>, 3> faces;

  explicit Geometry(const BodyOptions& options) : o(options) {
    const int n[3] = {o.cells.nx, o.cells.ny, o.cells.nz};
    for (Index d = 0; d < 3; ++d)
      faces[d] = make_grid_line(n[d], 0, 1, {o.stretching > 0 && n[d] > 1 ? "tanh" : "uniform", o.stretching}).faces;
  }
  // To the body's surface, positive in the fluid.
  double distance(const Point& x) const {
    const double dx = x[0] - 0.5, dy = x[1] - 0.5, dz = o.body == Body::cylinder ? 0 : x[2] - 0.5;
    return o.body == Body::none ? 1 : std::sqrt(dx * dx + dy * dy + dz * dz) - o.radius;
  }
  double width(Index d, int i) const { return faces[d][static_cast<Index>(i) + 1] - faces[d][static_cast<Index>(i)]; }
  double middle(Index d, int i) const {
    return 0.5 * (faces[d][static_cast<Index>(i) + 1] + faces[d][static_cast<Index>(i)]);
  }
  std::array<int, 3> at(int c) const {
    return {c % o.cells.nx, c / o.cells.nx % o.cells.ny, c / (o.cells.nx * o.cells.ny)};
  }
  int size(Index d) const { return d == 0 ? o.cells.nx : d == 1 ? o.cells.ny : o.cells.nz; }
  double volume(int c) const {
    const auto i = at(c);
    return width(0, i[0]) * width(1, i[1]) * width(2, i[2]);
  }
  Point centre(int c) const {
    const auto i = at(c);
    return {middle(0, i[0]), middle(1, i[1]), middle(2, i[2])};
  }
  double area(int c, Index d) const { return volume(c) / width(d, at(c)[d]); }

  // The open area of the face of cell c towards side (-1, 1) of direction d; the body's surface is taken as plane
  // within it.
  double open_area(int c, Index d, int side) const {
    const auto i = at(c);
    Point x = centre(c);
    x[d] = faces[d][static_cast<Index>(i[d] + (side > 0 ? 1 : 0))];
    double extent = 0;
    for (Index e = 0; e < 3; ++e)
      if (e != d && size(e) > 1) extent = std::max(extent, width(e, i[e]));
    const double fraction = std::clamp(0.5 + distance(x) / extent, 0.0, 1.0);
    return (fraction < 1e-3 ? 0 : fraction) * area(c, d);
  }
  // Between the centres of a cell and its neighbour, or of the cell and the end face.
  double span(int c, Index d, int side) const {
    const int i = at(c)[d], to = i + side;
    return to < 0 || to >= size(d) ? 0.5 * width(d, i) : 0.5 * (width(d, i) + width(d, to));
  }
  bool is_inside(int c, Index d, int side) const { return at(c)[d] + side >= 0 && at(c)[d] + side < size(d); }
};

constexpr int slot_of[3][2] = {{slot::gamma, slot::epsilon}, {slot::beta, slot::zeta}, {slot::alpha, slot::eta}};

// The values on the host, in the storage order.
struct Bands {
  std::vector<double> values;
  BlockStencilView view;
  explicit Bands(Extents cells) {
    view.cells = cells;
    view.slots = cells.nz == 1 ? 5 : 7;
    view.first = view.slots == 5 ? 1 : 0;
    values.resize(static_cast<Index>(view.slots) * static_cast<Index>(cells.count()));
    view.values = values.data();
  }
  double& at(int c, int s) { return view.block(c, s)[0]; }
};

double conductance(const Geometry& g, int c, Index d, int side) {
  if (g.size(d) == 1) return 0;
  if (!g.is_inside(c, d, side) && !(g.o.outlet && d == 0 && side == 1)) return 0;
  return g.open_area(c, d, side) / g.span(c, d, side);
}

double total_conductance(const Geometry& g, int c) {
  double sum = 0;
  for (Index d = 0; d < 3; ++d) sum += conductance(g, c, d, -1) + conductance(g, c, d, 1);
  return sum;
}

BandedGrid grid_of(const Geometry& g, bool outlet) {
  BandedGrid grid{g.faces, {}};
  if (outlet) grid.ends[0][1] = EndCondition::dirichlet;
  return grid;
}

// Cell c takes minus the value at the mirror image of its centre, between the (at most) eight cells around that.
void add_ghost_row(const Geometry& g, int c, Bands& bands, RemainderData& r) {
  Point x = g.centre(c), from{0.5, 0.5, g.o.body == Body::cylinder ? x[2] : 0.5};
  const double depth = -g.distance(x), length = std::max(g.o.radius - depth, 1e-12);
  std::array<int, 3> low{};
  std::array<double, 3> t{};
  for (Index d = 0; d < 3; ++d) {
    x[d] += 2 * depth * (x[d] - from[d]) / length;
    while (low[d] + 2 < g.size(d) && g.middle(d, low[d] + 1) < x[d]) ++low[d];
    if (g.size(d) > 1) {
      t[d] = (x[d] - g.middle(d, low[d])) / (g.middle(d, low[d] + 1) - g.middle(d, low[d]));
      t[d] = std::clamp(t[d], 0.0, 1.0);
    }
  }
  bands.at(c, slot::delta) = 1;
  r.row.push_back(c);
  for (int corner = 0; corner < 8; ++corner) {
    double w = 1;
    std::array<int, 3> i = low;
    for (Index d = 0; d < 3; ++d) {
      const bool high = corner >> d & 1;
      w *= high ? t[d] : 1 - t[d];
      i[d] += high ? 1 : 0;
    }
    if (w == 0) continue;
    const int to = g.o.cells.index(i[0], i[1], i[2]);
    if (to == c) {
      bands.at(c, slot::delta) += w;
    } else {
      r.column.push_back(to);
      r.value.push_back(w);
    }
  }
  r.start.push_back(static_cast<int>(r.column.size()));
}

}  // namespace

template <class Space>
Banded<Space> pressure_matrix(const BodyOptions& options) {
  const Geometry g(options);
  Bands bands(options.cells);
  for (int c = 0; c < options.cells.count(); ++c) {
    double& diagonal = bands.at(c, slot::delta);
    for (Index d = 0; d < 3; ++d)
      for (const int side : {-1, 1}) {
        const double a = conductance(g, c, d, side);
        diagonal += a;
        if (g.is_inside(c, d, side)) bands.at(c, slot_of[d][side > 0]) = a == 0 ? 0 : -a;
      }
    if (diagonal == 0) diagonal = 1;
  }
  Banded<Space> A(options.cells);
  A.upload(bands.values);
  A.set_symmetric(true);
  A.set_constant_null_space(!options.outlet && options.body == Body::none);
  A.set_grid(grid_of(g, options.outlet));
  return A;
}

template <class Space>
Banded<Space> advection_diffusion_matrix(const BodyOptions& options, double cfl, double diffusion, bool ghosts) {
  const Geometry g(options);
  Bands bands(options.cells);
  RemainderData remainder;
  remainder.start = {0};
  double smallest = 1;
  for (int i = 0; i < options.cells.nx; ++i) smallest = std::min(smallest, g.width(0, i));
  const double dt = cfl * smallest;
  for (int c = 0; c < options.cells.count(); ++c) {
    if (g.distance(g.centre(c)) < 0) {
      bool next_to_fluid = false;
      for (Index d = 0; d < 3; ++d)
        for (const int side : {-1, 1}) {
          if (!g.is_inside(c, d, side)) continue;
          const int stride = d == 0 ? 1 : d == 1 ? options.cells.nx : options.cells.nx * options.cells.ny;
          next_to_fluid |= g.distance(g.centre(c + side * stride)) >= 0;
        }
      if (ghosts && next_to_fluid)
        add_ghost_row(g, c, bands, remainder);
      else
        bands.at(c, slot::delta) = 1;
      continue;
    }
    double& diagonal = bands.at(c, slot::delta) = g.volume(c) / dt;
    for (Index d = 0; d < 3; ++d)
      for (const int side : {-1, 1}) {
        if (g.size(d) == 1) continue;
        const double inflow = d == 0 && side == -1 ? g.area(c, d) : 0;  // velocity 1 along x, upwind
        const double a = diffusion * g.area(c, d) / g.span(c, d, side) + inflow;
        diagonal += a;
        if (g.is_inside(c, d, side)) bands.at(c, slot_of[d][side > 0]) = -a;
      }
  }
  Banded<Space> A(options.cells);
  A.upload(bands.values);
  A.set_grid(grid_of(g, options.outlet));
  if (!remainder.row.empty()) A.set_remainder(remainder);
  return A;
}

std::vector<double> right_hand_side(const BodyOptions& options) {
  const Geometry g(options);
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> b(static_cast<Index>(options.cells.count()));
  double sum = 0, volume = 0;
  std::vector<char> alone(b.size());
  for (int c = 0; c < options.cells.count(); ++c) {
    const double value = uniform(generator);
    alone[static_cast<Index>(c)] = total_conductance(g, c) == 0;
    if (alone[static_cast<Index>(c)]) continue;
    b[static_cast<Index>(c)] = g.volume(c) * value;
    sum += b[static_cast<Index>(c)];
    volume += g.volume(c);
  }
  if (!options.outlet)
    for (int c = 0; c < options.cells.count(); ++c)
      if (!alone[static_cast<Index>(c)]) b[static_cast<Index>(c)] -= g.volume(c) * sum / volume;
  return b;
}

template Banded<Host> pressure_matrix<Host>(const BodyOptions&);
template Banded<Device> pressure_matrix<Device>(const BodyOptions&);
template Banded<Host> advection_diffusion_matrix<Host>(const BodyOptions&, double, double, bool);
template Banded<Device> advection_diffusion_matrix<Device>(const BodyOptions&, double, double, bool);

}  // namespace weir::test
