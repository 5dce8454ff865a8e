#include "miniapps/structured/sides/side_surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/table_option.hpp"
#include "miniapps/structured/sides/read_sides.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

constexpr Option surface_keys[] = {
    {"name", Option::text, Option::required,
     "name of the surface, used for the file surface/NAME.csv and the quantities NAME_separation and "
     "NAME_reattachment"},
    {"side", Option::text, Option::required, "side of the box", "x_min | x_max | y_min | y_max | z_min | z_max"}};

}  // namespace

Options side_surface_options() { return surface_keys; }

std::vector<SideSurface> read_side_surfaces(const Table& config, const IncompressibleCase& c) {
  std::vector<SideSurface> all;
  for (const Table& options : config.tables("surface")) {
    const Table t = options.described_by(surface_keys);
    SideSurface s;
    s.name = t.get<std::string>("name");
    if (s.name.empty() || s.name.find_first_of("/\\") != s.name.npos)
      t.fail("name", "'name' must be the name of a file, got \"" + s.name + "\"");
    for (const SideSurface& other : all)
      if (other.name == s.name) t.fail("name", "two surfaces have the name \"" + s.name + "\"");
    s.side = static_cast<int>(place_of_word(t, "side", t.get<std::string>("side")));
    if (s.side >= 2 * c.dim() || c.is_periodic(s.side / 2))
      t.fail("side", std::string(side_names[static_cast<std::size_t>(s.side)]) +
                         " is not a side with a boundary condition in this case");
    all.push_back(s);
  }
  return all;
}

namespace {

// The directions of a side, its cells and their distances.
struct Beside {
  int d, t, o, inner, ghost;
  double inv_h;
  Beside(const IncompressibleCase& c, const Layout& l, int side) : d(side / 2), t(d == 0 ? 1 : 0), o(d == 2 ? 1 : 2) {
    const int n = l.n[d];
    const bool high = side % 2 == 1;
    inner = high ? n - 1 : 0;
    ghost = high ? n : -1;
    inv_h = 1 / c.grid.line[d].width[inner];
  }
  double at(const Field<const double>& f, int along, int across, int other) const {
    int q[3] = {};
    q[t] = along;
    q[d] = across;
    q[o] = other;
    return f(q[0], q[1], q[2]);
  }
  // d/dn at the side as the scheme's own flux has it, so that the balances of the box hold.
  double slope(const Field<const double>& f, int along, int other) const {
    return (at(f, along, inner, other) - at(f, along, ghost, other)) * inv_h;
  }
};

SideFlux flux_along(const IncompressibleCase& c, const Flow<Host>& flow, const Beside& b, std::size_t scalar) {
  const Field<const double> T = flow.field(flow.scalars[scalar]);
  const GridLine &along = c.grid.line[b.t], &other = c.grid.line[b.o];
  SideFlux f;
  for (int i = 0; i < flow.layout.n[b.t]; ++i) {
    double flux = 0;
    for (int k = 0; k < flow.layout.n[b.o]; ++k)
      flux -= c.scalars[scalar].diffusivity * b.slope(T, i, k) * other.width[k] / other.length();
    f.x.push_back(along.centre[i]);
    f.flux.push_back(flux);
    f.mean += flux * along.width[i] / along.length();
  }
  return f;
}

}  // namespace

SideShear shear_along(const IncompressibleCase& c, const Flow<Host>& flow, int side) {
  const Layout& l = flow.layout;
  const Beside b(c, l, side);
  const Field<const double> u = flow.component(b.t), p = flow.pressure();
  const GridLine &along = c.grid.line[b.t], &other = c.grid.line[b.o];
  SideShear s;
  const int points = l.n[b.t] + (l.staggered && !l.periodic[b.t] ? 1 : 0);
  for (int i = 0; i < points; ++i) {
    double shear = 0, pressure = 0;
    for (int k = 0; k < l.n[b.o]; ++k) {
      const double part = other.width[k] / other.length();
      shear += part * c.viscosity * c.density * b.slope(u, i, k);
      pressure += part * c.density * b.at(p, std::min(i, l.n[b.t] - 1), b.inner, k);
    }
    s.x.push_back(l.staggered ? along.faces[i] : along.centre[i]);
    s.shear.push_back(shear);
    s.pressure.push_back(pressure);
  }
  for (std::size_t scalar = 0; scalar < flow.scalars.size(); ++scalar)
    s.scalars.push_back(flux_along(c, flow, b, scalar));
  return s;
}

ShearTurns turns_of(const SideShear& s) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  ShearTurns turns{none, none};
  for (std::size_t i = 1; i < s.x.size(); ++i) {
    const double a = s.shear[i - 1], b = s.shear[i];
    if (a == 0 || b == 0 || (a > 0) == (b > 0)) continue;  // 0: the corner of two walls
    const double x = s.x[i - 1] + (s.x[i] - s.x[i - 1]) * a / (a - b);
    if (b > 0)
      turns.reattachment = x;
    else if (a > 0 && turns.separation != turns.separation)
      turns.separation = x;
  }
  return turns;
}

std::map<std::string, double> write_side_surfaces(const std::string& folder, const std::vector<SideSurface>& surfaces,
                                                  const IncompressibleCase& c, const Flow<Host>& flow) {
  std::map<std::string, double> quantities;
  for (const SideSurface& surface : surfaces) {
    const SideShear s = shear_along(c, flow, surface.side);
    std::string text = surface.side / 2 == 0 ? "y,shear,p\n" : "x,shear,p\n";
    for (std::size_t i = 0; i < s.x.size(); ++i)
      text += fmt::format("{:.9g},{:.9g},{:.9g}\n", s.x[i], s.shear[i], s.pressure[i]);
    write_text_aside(folder + "/" + surface.name + ".csv", text);
    for (std::size_t e = 0; e < s.scalars.size(); ++e) {
      const ScalarCase& scalar = c.scalars[e];
      const SideFlux& f = s.scalars[e];
      std::string fluxes = (surface.side / 2 == 0 ? "y," : "x,") + scalar.flux_name() + "\n";
      for (std::size_t i = 0; i < f.x.size(); ++i) fluxes += fmt::format("{:.9g},{:.9g}\n", f.x[i], f.flux[i]);
      const std::string what = scalar.is_temperature() ? "heat" : scalar.name;
      write_text_aside(folder + "/" + surface.name + "_" + what + ".csv", fluxes);
      quantities[surface.name + "_" + scalar.flux_name()] = f.mean;
    }
    const ShearTurns turns = turns_of(s);
    quantities[surface.name + "_separation"] = turns.separation;
    quantities[surface.name + "_reattachment"] = turns.reattachment;
  }
  return quantities;
}

namespace {

constexpr Quantity surface_quantity_list[] = {
    {"NAME_separation", "length", "incompressible, immersed",
     "first position at which the wall shear stress of a [[surface]] becomes negative"},
    {"NAME_reattachment", "length", "incompressible, immersed",
     "last position at which the wall shear stress of a [[surface]] becomes positive"},
    {"NAME_heat_flux", "temperature velocity", "incompressible",
     "mean heat flux -diffusivity dT/dn through a [[surface]] into the fluid"},
    {"NAME_SCALAR_flux", "scalar velocity", "incompressible",
     "mean flux of [scalar.SCALAR] through a [[surface]] into the fluid"}};

}  // namespace

QuantityTable surface_quantities() { return surface_quantity_list; }

std::vector<std::string> quantities_of(const std::vector<SideSurface>& surfaces, const IncompressibleCase& c) {
  std::vector<std::string> names;
  for (const SideSurface& s : surfaces) {
    for (const char* what : {"_separation", "_reattachment"}) names.push_back(s.name + what);
    for (const ScalarCase& scalar : c.scalars) names.push_back(s.name + "_" + scalar.flux_name());
  }
  return names;
}

}  // namespace weir
