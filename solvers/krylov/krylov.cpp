// Options, names, and the list of methods.
#include "solvers/krylov/krylov.hpp"

#include "base/error.hpp"
#include "solvers/krylov/methods.hpp"

namespace weir {

const char* to_string(Reason reason) {
  switch (reason) {
    case Reason::converged:
      return "converged";
    case Reason::max_iterations:
      return "max_iterations";
    case Reason::breakdown:
      return "breakdown";
    case Reason::stagnated:
      return "stagnated";
    case Reason::not_finite:
      return "not_finite";
  }
  return "unknown";
}

KrylovOptions read_krylov_options(const Table& t, double default_tolerance) {
  KrylovOptions o;
  o.tolerance = t.get<double>("tolerance", default_tolerance);
  if (!(o.tolerance >= 0)) t.fail("tolerance", "the tolerance must not be negative");
  o.relative = t.get<bool>("relative", o.relative);
  o.reference = t.choice("reference", {"rhs", "initial"}, o.reference);
  o.norm = t.choice("norm", {"l2", "max"}, "l2") == "max" ? Norm::max : Norm::l2;
  o.max_iterations = t.get<int>("max_iterations", o.max_iterations);
  if (o.max_iterations < 0) t.fail("max_iterations", "the number of iterations must not be negative");
  o.restart = t.get<int>("restart", o.restart);
  if (o.restart < 1) t.fail("restart", "at least one step is needed before a restart");
  o.basis = t.choice("basis", {"double", "float"}, o.basis);
  return o;
}

namespace {

template <class Space>
struct Entry {
  const char* name;
  std::unique_ptr<Krylov<Space>> (*make)(const KrylovOptions&);
};

template <class Space>
constexpr Entry<Space> methods[] = {
    {"cg", make_cg<Space>},
    {"bicgstab", make_bicgstab<Space>},
    {"gmres", make_gmres<Space>},
    {"pipelined_cg", make_pipelined_cg<Space>},
    {"pipelined_bicgstab", make_pipelined_bicgstab<Space>},
    {"fgmres", make_fgmres<Space>},
    {"correction", make_correction<Space>},
    {"chebyshev", make_chebyshev<Space>},
};

}  // namespace

std::vector<std::string> krylov_methods() {
  std::vector<std::string> names;
  for (const auto& entry : methods<Host>) names.emplace_back(entry.name);
  return names;
}

template <class Space>
std::unique_ptr<Krylov<Space>> make_krylov(const std::string& method, const KrylovOptions& o) {
  for (const auto& entry : methods<Space>)
    if (method == entry.name) return entry.make(o);
  std::string known;
  for (const auto& name : krylov_methods()) known += (known.empty() ? "" : ", ") + name;
  throw Error(Exit::usage, "unknown method '" + method + "'; known: " + known);
}

template std::unique_ptr<Krylov<Host>> make_krylov<Host>(const std::string&, const KrylovOptions&);
template std::unique_ptr<Krylov<Device>> make_krylov<Device>(const std::string&, const KrylovOptions&);

}  // namespace weir
