#include "miniapps/compressible/case.hpp"

#include <cmath>
#include <map>
#include <numbers>

#include "base/table_numbers.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

void read_gas(const Table& t, GasModel& gas) {
  gas.gamma = positive(t, "gamma", gas.gamma);
  if (gas.gamma <= 1) t.fail("gamma", "the ratio of specific heats is greater than 1");
  gas.prandtl = positive(t, "prandtl", gas.prandtl);
  gas.mach = t.get<double>("mach");
  if (!(gas.mach > 0) || !std::isfinite(gas.mach)) t.fail("mach", "the Mach number must be positive");
  gas.reynolds = not_negative(t, "reynolds", 0);
  if (!t.has("sutherland") || t.is_table("sutherland")) {
    const Table s = t.table("sutherland");
    const double constant = positive(s, "constant", 110.4), temperature = positive(s, "temperature", 288.15);
    gas.sutherland = constant / temperature;
  } else if (t.choice("sutherland", {"constant_viscosity"}, "constant_viscosity") == "constant_viscosity") {
    gas.sutherland = -1;
  }
}

void read_pair(const Table& t, const char* key, double (&v)[2]) {
  const auto list = t.get<std::vector<double>>(key, std::vector<double>{v[0], v[1]});
  if (list.size() != 2) t.fail(key, std::string(key) + " must have 2 numbers");
  v[0] = list[0];
  v[1] = list[1];
}

void read_initial(const Table& flow, CompressibleCase& c) {
  ExactFlow& f = c.initial;
  static const std::map<std::string, FlowKind> kinds = {{"freestream", FlowKind::freestream},
                                                        {"isentropic_vortex", FlowKind::isentropic_vortex},
                                                        {"sod", FlowKind::sod},
                                                        {"ringleb", FlowKind::ringleb},
                                                        {"oblique_shock", FlowKind::oblique_shock}};
  const auto word = [&](const Table& t, const char* key, const char* fallback) {
    return t.choice(key, {"freestream", "isentropic_vortex", "sod", "ringleb", "oblique_shock"}, fallback);
  };
  const bool is_table = flow.is_table("initial");
  const Table t = is_table ? flow.table("initial") : flow;
  const std::string kind = word(t, is_table ? "type" : "initial", "freestream");
  f.kind = kinds.at(kind);
  f.gamma = c.gas.gamma;
  f.mach = c.gas.mach;
  f.direction[0] = c.direction[0];
  f.direction[1] = c.direction[1];
  if (is_table && f.kind != FlowKind::freestream) read_pair(t, "centre", f.centre);
  if (is_table && f.kind == FlowKind::isentropic_vortex) f.strength = t.get<double>("strength", f.strength);
  if (f.kind == FlowKind::oblique_shock) {
    if (!is_table) flow.fail("initial", "an oblique shock needs { type = \"oblique_shock\", wedge_angle = DEGREES }");
    f.wedge_angle = t.get<double>("wedge_angle") * std::numbers::pi / 180;
  }
  f.prepare();
  if (f.kind == FlowKind::oblique_shock && f.shock_angle <= 0)
    t.fail("wedge_angle", "at this Mach number the shock of such a wedge is detached");
  c.has_exact = f.kind != FlowKind::freestream;
}

void read_flow(const Table& t, CompressibleCase& c) {
  read_gas(t, c.gas);
  const double angle = t.get<double>("angle_of_attack", 0.0) * std::numbers::pi / 180;
  c.direction[0] = std::cos(angle);
  c.direction[1] = std::sin(angle);
  c.reference_length = positive(t, "reference_length", c.reference_length);
  read_initial(t, c);
}

void read_numerics(const Table& t, SpatialScheme& s) {
  static const std::map<std::string, FluxScheme> fluxes = {{"roe", FluxScheme::roe},
                                                           {"hllc", FluxScheme::hllc},
                                                           {"ausm_plus", FluxScheme::ausm_plus},
                                                           {"van_leer", FluxScheme::van_leer},
                                                           {"rusanov", FluxScheme::rusanov}};
  static const std::map<std::string, Limiter> limiters = {{"none", Limiter::none},
                                                          {"venkatakrishnan", Limiter::venkatakrishnan},
                                                          {"barth_jespersen", Limiter::barth_jespersen}};
  s.flux = fluxes.at(t.choice("flux", {"roe", "hllc", "ausm_plus", "van_leer", "rusanov"}, "roe"));
  s.entropy_fix = not_negative(t, "entropy_fix", s.entropy_fix);
  s.order = t.get<int>("order", 2);
  if (s.order != 1 && s.order != 2) t.fail("order", "order is 1 or 2");
  s.gradient = t.choice("gradient", {"least_squares", "green_gauss"}, "least_squares") == "green_gauss"
                   ? GradientScheme::green_gauss
                   : GradientScheme::least_squares;
  s.limiter = limiters.at(t.choice("limiter", {"none", "venkatakrishnan", "barth_jespersen"}, "none"));
  s.venkatakrishnan = positive(t, "venkatakrishnan", s.venkatakrishnan);
}

void read_pseudo_time(const Table& t, PseudoTimeOptions& o) {
  o.cfl_start = positive(t, "cfl_start", o.cfl_start);
  o.cfl_max = positive(t, "cfl_max", o.cfl_max);
  if (o.cfl_max < o.cfl_start) t.fail("cfl_max", "cfl_max must not be below cfl_start");
  o.exponent_down = not_negative(t, "exponent_down", o.exponent_down);
  o.exponent_up = not_negative(t, "exponent_up", o.exponent_up);
  o.relaxation = positive(t, "relaxation", o.relaxation);
  o.least_relaxation = positive(t, "least_relaxation", o.least_relaxation);
  if (o.least_relaxation > 1) t.fail("least_relaxation", "omega is not greater than 1");
  o.tolerance = positive(t, "tolerance", o.tolerance);
  o.first_order_tolerance = not_negative(t, "first_order_tolerance", o.first_order_tolerance);
  o.max_steps = t.get<int>("max_steps", o.max_steps);
  if (o.max_steps < 0) t.fail("max_steps", "max_steps must not be negative");
  o.max_rejections = t.get<int>("max_rejections", o.max_rejections);
  if (o.max_rejections < 0) t.fail("max_rejections", "max_rejections must not be negative");
  o.rejected_cut = fraction(t, "rejected_cut", o.rejected_cut);
  o.largest_growth = positive(t, "largest_growth", o.largest_growth);
  o.growth = positive(t, "growth", o.growth);
  o.matrix_free = t.choice("jacobian", {"matrix_free", "first_order"}, "first_order") == "matrix_free";
}

// Beside the keys of every [linear.SYSTEM].
constexpr Option flow_matrix_keys[] = {
    {"matrix_storage", Option::text, "double", "of the Jacobian", "double | float", "", "matrix, single=float"}};

// Products with floats are off by 1e-7 of what they are made of.
void read_matrix(const Table& given, PseudoTimeOptions& o) {
  const Table linear = given.described_by(flow_matrix_keys).described_by(linear_solver_options());
  o.float_jacobian = linear.get<std::string>("matrix_storage") == "float";
  if (o.float_jacobian && !o.matrix_free && linear.has("tolerance") && linear.get<double>("tolerance", 1) < 1e-5)
    linear.fail("matrix_storage", "a matrix of floats is for tolerances of 1e-5 and more");
}

void read_time(const Table& t, UnsteadyOptions& time) {
  if (!t.has("end") && !t.has("dt")) return;
  time.end = t.get<double>("end");
  if (!(time.end > 0) || !std::isfinite(time.end)) t.fail("end", "the end time must be positive");
  time.dt = t.get<double>("dt");
  if (!(time.dt > 0) || !std::isfinite(time.dt)) t.fail("dt", "the time step must be positive");
}

}  // namespace

CompressibleCase read_compressible_case(const Table& config) {
  CompressibleCase c;
  c.title = config.table("case").get("title", "");
  read_flow(config.table("flow"), c);
  read_numerics(config.table("numerics"), c.scheme);
  read_pseudo_time(config.table("pseudo_time"), c.pseudo_time);
  read_matrix(config.table("linear").table("flow"), c.pseudo_time);
  read_time(config.table("time"), c.time);
  return c;
}

}  // namespace weir
