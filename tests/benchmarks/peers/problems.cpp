#include "tests/benchmarks/peers/problems.hpp"

#include <random>

#include "mesh/structured/grid.hpp"
#include "tests/support/systems/body_poisson.hpp"

namespace weir::bench {
namespace {

using Index = std::size_t;

// In the order of SevenPoint::values.
constexpr int slots[] = {slot::delta, slot::gamma, slot::epsilon, slot::beta, slot::zeta, slot::alpha, slot::eta};

}  // namespace

SevenPoint poisson(int n, double stretching) {
  SevenPoint p;
  p.cells = {n, n, n};
  p.separable = p.singular = true;
  p.tolerance = 1e-8;
  std::array<SeparableDirection, 3> line;
  for (Index d = 0; d < 3; ++d) {
    p.faces[d] = make_grid_line(n, 0, 1, {stretching > 0 ? "tanh" : "uniform", stretching}).faces;
    line[d] = cell_centred_direction(p.faces[d], EndCondition::neumann, EndCondition::neumann);
  }
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> volumes;
  double sum = 0;
  for (Index k = 0; k < Index(n); ++k)
    for (Index j = 0; j < Index(n); ++j)
      for (Index i = 0; i < Index(n); ++i) {
        const double x = line[0].mass[i], y = line[1].mass[j], z = line[2].mass[k];
        const double to[6] = {y * z * line[0].lower[i], y * z * line[0].upper[i], x * z * line[1].lower[j],
                              x * z * line[1].upper[j], x * y * line[2].lower[k], x * y * line[2].upper[k]};
        double own = 0;
        for (const double v : to) own += v;
        p.values.push_back(own);
        for (const double v : to) p.values.push_back(-v);
        volumes.push_back(x * y * z);
        p.b.push_back(volumes.back() * uniform(generator));
        sum += p.b.back();
      }
  for (Index c = 0; c < p.b.size(); ++c) p.b[c] -= sum * volumes[c];  // the box has volume 1
  return p;
}

SevenPoint pressure_about(const std::string& body, int n) {
  const bool is_sphere = body == "sphere";
  const test::BodyOptions o{{n, n, n},
                            is_sphere ? 0.0 : 2.0,
                            is_sphere ? test::Body::sphere : test::Body::cylinder,
                            is_sphere ? 0.2 : 0.1,
                            true};
  // Never freed: its memory, touched already, would go to our solver, and pages that peers must map would be there.
  const Banded<Host>& A = *new Banded<Host>(test::pressure_matrix<Host>(o));
  const BlockStencilView S = A.stencil();
  SevenPoint p;
  p.cells = {n, n, n};
  p.tolerance = 1e-6;
  for (Index d = 0; d < 3; ++d)
    p.faces[d] = make_grid_line(n, 0, 1, {is_sphere ? "uniform" : "tanh", o.stretching}).faces;
  p.ends[0][1] = EndCondition::dirichlet;
  p.b = test::right_hand_side(o);
  p.bands.resize(7 * p.b.size());
  BlockStencilView bands;
  bands.values = p.bands.data();
  bands.cells = o.cells;
  bands.slots = 7;
  for (int c = 0; c < o.cells.count(); ++c)
    for (const int s : slots) {
      const double v = S.neighbour(c, s) >= 0 ? S.block(c, s)[0] : 0;
      p.values.push_back(v);
      bands.block(c, s)[0] = v;
    }
  return p;
}

}  // namespace weir::bench
