#include "miniapps/incompressible/scalar_quantities.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/device/reduce.hpp"

namespace weir {
namespace {

double volume_of(const Grid& g, int i, int j, int k) {
  return g.line[0].width[i] * g.line[1].width[j] * g.line[2].width[k];
}

void add_moments(const IncompressibleCase& c, const WholeFlow& flow, std::size_t scalar,
                 std::map<std::string, double>& q) {
  const WholeField f = flow.scalar(scalar);
  const std::string& name = c.scalars[scalar].name;
  double total = 0, first[3] = {}, low = std::numeric_limits<double>::infinity(), high = -low;
  flow.layout.for_cells([&](int i, int j, int k) {
    const double part = volume_of(c.grid, i, j, k) * f(i, j, k);
    const int at[3] = {i, j, k};
    total += part;
    for (int d = 0; d < c.dim(); ++d) first[d] += part * c.grid.line[d].centre[at[d]];
    low = std::min(low, f(i, j, k));
    high = std::max(high, f(i, j, k));
  });
  q[name + "_total"] = total;
  q[name + "_min"] = low;
  q[name + "_max"] = high;
  for (int d = 0; d < c.dim(); ++d) {
    const double centre = first[d] / total;
    double second = 0;
    flow.layout.for_cells([&](int i, int j, int k) {
      const int at[3] = {i, j, k};
      const double away = c.grid.line[d].centre[at[d]] - centre;
      second += volume_of(c.grid, i, j, k) * f(i, j, k) * away * away;
    });
    q[name + "_centre_" + "xyz"[d]] = centre;
    q[name + "_variance_" + "xyz"[d]] = second / total;
  }
}

void add_errors(const IncompressibleCase& c, const WholeFlow& flow, std::size_t scalar, double time,
                std::map<std::string, double>& q) {
  const WholeField f = flow.scalar(scalar);
  double sum = 0, most = 0;
  flow.layout.for_cells([&](int i, int j, int k) {
    const double x[3] = {c.grid.line[0].centre[i], c.grid.line[1].centre[j], c.grid.line[2].centre[k]};
    const double error = std::abs(f(i, j, k) - c.scalars[scalar].exact.at(x, time));
    sum += volume_of(c.grid, i, j, k) * error * error;
    if (!(error <= most)) most = error;  // NaN stays
  });
  q["error_" + c.scalars[scalar].name + "_l2"] = std::sqrt(sum / c.grid.volume());
  q["error_" + c.scalars[scalar].name + "_max"] = most;
}

constexpr Quantity scalar_quantity_list[] = {
    {"SCALAR_total", "scalar volume", "integral of [scalar.SCALAR] over the box"},
    {"SCALAR_min", "scalar", "smallest value of [scalar.SCALAR]"},
    {"SCALAR_max", "scalar", "largest value of [scalar.SCALAR]"},
    {"SCALAR_centre_x", "length",
     "x coordinate of the centre of [scalar.SCALAR] (first moment divided by the total); also y, z"},
    {"SCALAR_variance_x", "length^2",
     "variance of [scalar.SCALAR] in x (second central moment divided by the total); also y, z"},
    {"error_SCALAR_l2", "scalar", "root mean square of the difference between the scalar (or temperature) and `exact`"},
    {"error_SCALAR_max", "scalar", "largest difference between the scalar (or temperature) and `exact`"}};

}  // namespace

QuantityTable scalar_quantity_table() { return scalar_quantity_list; }

template <class Space>
double scalar_total(const Flow<Space>& flow, const Metrics& m, std::size_t scalar) {
  const Layout& l = flow.layout;
  const Field<const double> f = flow.field(flow.scalars[scalar]);
  const double *hx = m.line[0].h, *hy = m.line[1].h, *hz = m.line[2].h;
  const int nx = l.n[0], ny = l.n[1];
  return sum<Space>(l.cells().count(), [=] WEIR_HD(int q) {
    const int i = q % nx, j = q / nx % ny, k = q / nx / ny;
    return hx[i] * hy[j] * hz[k] * f(i, j, k);
  });
}

std::map<std::string, double> scalar_quantities(const IncompressibleCase& c, const WholeFlow& flow, double time) {
  std::map<std::string, double> q;
  for (std::size_t s = 0; s < c.scalars.size(); ++s) {
    if (!c.scalars[s].is_temperature()) add_moments(c, flow, s, q);
    if (c.scalars[s].has_exact) add_errors(c, flow, s, time, q);
  }
  return q;
}

void add_scalar_quantities(const IncompressibleCase& c, RunHeader& h) {
  for (const ScalarCase& s : c.scalars) {
    if (!s.is_temperature()) {
      h.history.push_back(s.name + "_total");
      for (const char* what : {"_total", "_min", "_max"}) h.quantities.push_back(s.name + what);
      for (int d = 0; d < c.dim(); ++d)
        for (const char* what : {"_centre_", "_variance_"}) h.quantities.push_back(s.name + what + "xyz"[d]);
    }
    if (s.has_exact)
      for (const char* what : {"_l2", "_max"}) h.quantities.push_back("error_" + s.name + what);
  }
}

std::vector<SystemDefaults> with_scalars(const SystemDefaults& velocity, const IncompressibleCase& c,
                                         SystemDefaults (*scalar)(const ScalarCase&), const SystemDefaults& pressure) {
  std::vector<SystemDefaults> all{velocity};
  for (const ScalarCase& s : c.scalars) all.push_back(scalar(s));
  all.push_back(pressure);
  return all;
}

template double scalar_total<Host>(const Flow<Host>&, const Metrics&, std::size_t);
template double scalar_total<Device>(const Flow<Device>&, const Metrics&, std::size_t);

}  // namespace weir
