// Options, names, and the list of methods.
#include "solvers/krylov/krylov.hpp"

#include <cstdio>

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

namespace {

int in_range(const Table& t, const char* key, int fallback, int low, int high) {
  const int value = t.get<int>(key, fallback);
  if (value < low || value > high)
    t.fail(key, std::string(key) + " must lie between " + std::to_string(low) + " and " + std::to_string(high));
  return value;
}

// The keys that one method alone has.
void read_own_options(const Table& t, const std::string& method, KrylovOptions& o) {
  if (method == "bicgstab_l") o.l = in_range(t, "l", o.l, 1, 16);
  if (method == "idrs") o.s = in_range(t, "s", o.s, 1, 64);
  if (method == "gmres" || method == "fgmres") o.recycle = in_range(t, "recycle", o.recycle, 0, 64);
  if (method != "refinement") return;
  o.inner = t.choice("inner", {"gmres", "fgmres", "bicgstab", "bicgstab_l", "idrs", "cg"}, o.inner);
  o.inner_tolerance = t.get<double>("inner_tolerance", o.inner_tolerance);
  if (!(o.inner_tolerance > 0 && o.inner_tolerance < 1))
    t.fail("inner_tolerance", "an inner solve must lower its residual by a factor between 0 and 1");
  o.inner_iterations = in_range(t, "inner_iterations", o.inner_iterations, 1, 1000000);
  o.inner_matrix = t.choice("inner_matrix", {"double", "float"}, o.inner_matrix);
  read_own_options(t, o.inner, o);
}

void read_sizes(const Table& t, const std::string& method, KrylovOptions& o) {
  o.restart = t.get<int>("restart", o.restart);
  if (o.restart < 1) t.fail("restart", "at least one step is needed before a restart");
  o.basis = t.choice("basis", {"double", "float"}, method == "refinement" ? "float" : o.basis);
  read_own_options(t, method, o);
}

double vectors_of(const std::string& method, const KrylovOptions& o) {
  if (method == "cg") return 4;
  if (method == "bicgstab") return 8;
  if (method == "pipelined_cg") return 9;
  if (method == "pipelined_bicgstab") return 12;
  if (method == "bicgstab_l") return 2 * (o.l + 1) + 3;
  if (method == "idrs") return 3 * o.s + 4;
  if (method == "correction") return 2;
  if (method == "chebyshev") return 1;
  if (method == "refinement") return 2 + vectors_of(o.inner, o);
  if (method != "gmres" && method != "fgmres") return 0;
  // V, and Z or M^-1 (V y) and its argument; floats have the vector at work beside them.
  const bool floats = o.basis == "float", flexible = method == "fgmres";
  const double kept = floats ? 0.5 : 1, at_work = floats ? (flexible ? 2 : 1) : 0;
  return kept * (o.restart + 1 + (flexible ? o.restart : 0)) + (flexible ? 0 : 2) + at_work + 4 * o.recycle;
}

}  // namespace

KrylovOptions read_krylov_options(const Table& t, const KrylovOptions& defaults, const std::string& method) {
  KrylovOptions o = defaults;
  o.tolerance = t.get<double>("tolerance", o.tolerance);
  if (!(o.tolerance >= 0)) t.fail("tolerance", "the tolerance must not be negative");
  o.relative = t.get<bool>("relative", o.relative);
  o.reference = t.choice("reference", {"rhs", "initial"}, o.reference);
  o.norm = t.choice("norm", {"l2", "max"}, o.norm == Norm::max ? "max" : "l2") == "max" ? Norm::max : Norm::l2;
  o.max_iterations = t.get<int>("max_iterations", o.max_iterations);
  if (o.max_iterations < 0) t.fail("max_iterations", "the number of iterations must not be negative");
  read_sizes(t, method, o);
  return o;
}

double krylov_vectors(const std::string& method, const Table& t) {
  KrylovOptions o;
  read_sizes(t, method, o);
  return vectors_of(method, o);
}

std::string describe(const std::string& method, const KrylovOptions& o) {
  if (method == "bicgstab_l") return "bicgstab(" + std::to_string(o.l) + ")";
  if (method == "idrs") return "idr(" + std::to_string(o.s) + ")";
  if (method == "gmres" || method == "fgmres")
    return method + "(" + std::to_string(o.restart) + (o.basis == "float" ? ", single-precision basis" : "") +
           (o.recycle > 0 ? ", recycles " + std::to_string(o.recycle) : "") + ")";
  if (method != "refinement") return method;
  char tolerance[32];
  std::snprintf(tolerance, sizeof tolerance, "%g", o.inner_tolerance);
  return "refinement by " + describe(o.inner, o) +
         (o.inner_matrix == "float" ? " with A in single precision to " : " to ") + tolerance;
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
    {"bicgstab_l", make_bicgstab_l<Space>},
    {"idrs", make_idrs<Space>},
    {"refinement", make_refinement<Space>},
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
