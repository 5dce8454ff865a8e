#include "miniapps/structured/sides/side_surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/at.hpp"
#include "base/table_option.hpp"
#include "miniapps/structured/sides/read_sides.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

constexpr Option surface_keys[] = {
    {"name", Option::text, Option::required,
     "name of the surface, used for the file surface/NAME.csv and the quantities NAME_separation and "
     "NAME_reattachment"},
    {"side", Option::text, Option::required, "side of the box", "x_min | x_max | y_min | y_max | z_min | z_max"},
    {"reference_velocity", Option::number, "0",
     "velocity U of the skin friction coefficient cf = shear / (0.5 density U^2), a column of surface/NAME.csv; 0: no "
     "such column",
     "[0, inf)", "velocity"},
    {"reference_length", Option::number, "0",
     "length L of the Nusselt number flux L / (diffusivity reference_difference), a column of surface/NAME_heat.csv "
     "and the quantity NAME_nusselt; 0: no Nusselt number",
     "[0, inf)", "length"},
    {"reference_difference", Option::number, "1", "temperature difference of the Nusselt number", "(0, inf)",
     "temperature"}};

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
    s.velocity = t.get<double>("reference_velocity");
    s.length = t.get<double>("reference_length");
    s.difference = t.get<double>("reference_difference");
    all.push_back(s);
  }
  return all;
}

namespace {

double nusselt_of(const SideSurface& s, const ScalarCase& scalar, double flux) {
  return flux * s.length / (scalar.diffusivity * s.difference);
}

// The mean of a scalar over what flows through a side; NaN: nothing does.
double bulk_of(const IncompressibleCase& c, const WholeFlow& flow, int side, std::size_t scalar) {
  const int d = side / 2, t1 = d == 0 ? 1 : 0, t2 = d == 2 ? 1 : 2;
  const bool high = side % 2 == 1;
  const WholeField u = flow.component(d), s = flow.scalar(scalar);
  double sum = 0, flux = 0;
  int face[3], inner[3];
  face[d] = high && flow.layout.staggered ? flow.layout.n[d] : high ? flow.layout.n[d] - 1 : 0;
  inner[d] = high ? flow.layout.n[d] - 1 : 0;
  const int step = high ? 1 : -1;
  for (int b = 0; b < flow.layout.n[t2]; ++b)
    for (int a = 0; a < flow.layout.n[t1]; ++a) {
      face[t1] = inner[t1] = a;
      face[t2] = inner[t2] = b;
      int ghost[3] = {inner[0], inner[1], inner[2]};
      ghost[d] += step;
      const double part = u(face[0], face[1], face[2]) * c.grid.line[t1].width[a] * c.grid.line[t2].width[b];
      sum += part * 0.5 * (s(inner[0], inner[1], inner[2]) + s(ghost[0], ghost[1], ghost[2]));
      flux += part;
    }
  return sum / flux;
}

bool is_open(const IncompressibleCase& c, int side) {
  return std::ranges::any_of(c.patches, [&](const SidePatch& p) {
    return p.side == side && (p.type == SidePatch::Type::inlet || p.type == SidePatch::Type::outlet);
  });
}

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
  double at(const WholeField& f, int along, int across, int other) const {
    int q[3] = {};
    q[t] = along;
    q[d] = across;
    q[o] = other;
    return f(q[0], q[1], q[2]);
  }
  // d/dn at the side by the flux of the scheme itself, so that the balances of the box hold.
  double slope(const WholeField& f, int along, int other) const {
    return (at(f, along, inner, other) - at(f, along, ghost, other)) * inv_h;
  }
};

SideFlux flux_along(const IncompressibleCase& c, const WholeFlow& flow, const Beside& b, std::size_t scalar) {
  const WholeField T = flow.scalar(scalar);
  const GridLine &along = c.grid.line[b.t], &other = c.grid.line[b.o];
  SideFlux f;
  f.flux.resize(at(flow.layout.n[b.t]));
  for (int k = 0; k < flow.layout.n[b.o]; ++k)  // outside: pages are read in their order
    for (int i = 0; i < flow.layout.n[b.t]; ++i)
      f.flux[at(i)] -= c.scalars[scalar].diffusivity * b.slope(T, i, k) * other.width[k] / other.length();
  for (int i = 0; i < flow.layout.n[b.t]; ++i) {
    f.x.push_back(along.centre[i]);
    f.mean += f.flux[at(i)] * along.width[i] / along.length();
  }
  return f;
}

}  // namespace

SideShear shear_along(const IncompressibleCase& c, const WholeFlow& flow, int side) {
  const Layout& l = flow.layout;
  const Beside b(c, l, side);
  const WholeField u = flow.component(b.t), p = flow.pressure();
  const GridLine &along = c.grid.line[b.t], &other = c.grid.line[b.o];
  SideShear s;
  const int points = l.n[b.t] + (l.staggered && !l.periodic[b.t] ? 1 : 0);
  s.shear.resize(at(points));
  s.pressure.resize(at(points));
  for (int k = 0; k < l.n[b.o]; ++k) {  // outside: pages are read in their order
    const double part = other.width[k] / other.length();
    for (int i = 0; i < points; ++i) {
      s.shear[at(i)] += part * c.viscosity * c.density * b.slope(u, i, k);
      s.pressure[at(i)] += part * c.density * b.at(p, std::min(i, l.n[b.t] - 1), b.inner, k);
    }
  }
  for (int i = 0; i < points; ++i) s.x.push_back(l.staggered ? along.faces[i] : along.centre[i]);
  for (std::size_t scalar = 0; scalar < flow.scalars(); ++scalar) s.scalars.push_back(flux_along(c, flow, b, scalar));
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
                                                  const IncompressibleCase& c, const WholeFlow& flow) {
  std::map<std::string, double> quantities;
  for (const SideSurface& surface : surfaces) {
    const SideShear s = shear_along(c, flow, surface.side);
    const std::string along = surface.side / 2 == 0 ? "y," : "x,";
    const double dynamic = 0.5 * c.density * surface.velocity * surface.velocity;
    std::string text = along + (dynamic > 0 ? "shear,p,cf\n" : "shear,p\n");
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      text += fmt::format("{:.9g},{:.9g},{:.9g}", s.x[i], s.shear[i], s.pressure[i]);
      text += dynamic > 0 ? fmt::format(",{:.9g}\n", s.shear[i] / dynamic) : "\n";
    }
    write_text_aside(folder + "/" + surface.name + ".csv", text);
    for (std::size_t e = 0; e < s.scalars.size(); ++e) {
      const ScalarCase& scalar = c.scalars[e];
      const SideFlux& f = s.scalars[e];
      const bool has_number = surface.length > 0 && scalar.is_temperature();
      std::string fluxes = along + scalar.flux_name() + (has_number ? ",nusselt\n" : "\n");
      for (std::size_t i = 0; i < f.x.size(); ++i) {
        fluxes += fmt::format("{:.9g},{:.9g}", f.x[i], f.flux[i]);
        fluxes += has_number ? fmt::format(",{:.9g}\n", nusselt_of(surface, scalar, f.flux[i])) : "\n";
      }
      if (has_number) quantities[surface.name + "_nusselt"] = nusselt_of(surface, scalar, f.mean);
      if (is_open(c, surface.side))
        quantities[surface.name + "_bulk_" + scalar.name] = bulk_of(c, flow, surface.side, e);
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

constexpr Quantity surface_column_list[] = {
    {"NAME_heat_flux, NAME_SCALAR_flux", "",
     "mean fluxes through a [[surface]] into the fluid, every diagnostics_every steps"}};

constexpr Quantity surface_quantity_list[] = {
    {"NAME_nusselt", "", "Nusselt number of the mean heat flux through a [[surface]]"},
    {"NAME_bulk_temperature", "temperature",
     "bulk temperature (mean weighted by the flow) at a [[surface]] on an inlet or outlet"},
    {"NAME_bulk_SCALAR", "scalar", "bulk value of [scalar.SCALAR] at a [[surface]] on an inlet or outlet"},
    {"NAME_separation", "length", "first position at which the wall shear stress of a [[surface]] becomes negative"},
    {"NAME_reattachment", "length", "last position at which the wall shear stress of a [[surface]] becomes positive"},
    {"NAME_heat_flux", "temperature * velocity",
     "mean heat flux -diffusivity dT/dn through a [[surface]] into the fluid", "incompressible"},
    {"NAME_SCALAR_flux", "scalar * velocity", "mean flux of [scalar.SCALAR] through a [[surface]] into the fluid",
     "incompressible"}};

}  // namespace

QuantityTable surface_quantities() { return surface_quantity_list; }

std::vector<std::string> quantities_of(const std::vector<SideSurface>& surfaces, const IncompressibleCase& c) {
  std::vector<std::string> names;
  for (const SideSurface& s : surfaces) {
    for (const char* what : {"_separation", "_reattachment"}) names.push_back(s.name + what);
    for (const ScalarCase& scalar : c.scalars) {
      names.push_back(s.name + "_" + scalar.flux_name());
      if (s.length > 0 && scalar.is_temperature()) names.push_back(s.name + "_nusselt");
      if (is_open(c, s.side)) names.push_back(s.name + "_bulk_" + scalar.name);
    }
  }
  return names;
}

QuantityTable surface_columns() { return surface_column_list; }

std::vector<std::string> columns_of(const std::vector<SideSurface>& surfaces, const IncompressibleCase& c) {
  std::vector<std::string> names;
  for (const SideSurface& s : surfaces)
    for (const ScalarCase& scalar : c.scalars) names.push_back(s.name + "_" + scalar.flux_name());
  return names;
}

std::map<std::string, double> mean_fluxes(const std::vector<SideSurface>& surfaces, const IncompressibleCase& c,
                                          const WholeFlow& flow) {
  std::map<std::string, double> fluxes;
  for (const SideSurface& s : surfaces)
    for (std::size_t e = 0; e < c.scalars.size(); ++e)
      fluxes[s.name + "_" + c.scalars[e].flux_name()] = flux_along(c, flow, Beside(c, flow.layout, s.side), e).mean;
  return fluxes;
}

}  // namespace weir
