// Properties of a reference solver that follow from its options.
#pragma once
#include <string>

#include "base/table.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/registry.hpp"

namespace weir {

// Why a second solve of the same system may differ in bits; empty: it repeats exactly.
// options: [linear.SYSTEM], with its defaults.
inline std::string why_not_the_same(const Table& options, const std::string& default_method, double default_tolerance,
                                    const Traits& preconditioner) {
  if (!preconditioner.repeats) return "asynchronous: solves differ";
  if (preconditioner.remembers) return "its factors depend on earlier systems";
  const std::string method = read_solver_names(options, default_method, "none").method;
  if (read_krylov_options(options, KrylovOptions{default_tolerance}, method).recycle > 0)
    return "it depends on earlier solves (recycle)";
  return "";
}

// The stopping test of the reference solver, which is the default of candidates.
inline KrylovOptions stopping_test_of(const Table& options, const KrylovOptions& defaults) {
  const KrylovOptions reference = read_krylov_options(options, defaults, "");
  KrylovOptions o;
  o.tolerance = reference.tolerance;
  o.forcing = reference.forcing;
  o.forcing_rule = reference.forcing_rule;
  o.relative = reference.relative;
  o.reference = reference.reference;
  o.norm = reference.norm;
  o.max_iterations = reference.max_iterations;
  return o;
}

}  // namespace weir
