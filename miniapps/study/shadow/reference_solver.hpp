// What can be told of a reference solver from its options.
#pragma once
#include <string>

#include "base/table.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/registry.hpp"

namespace weir {

// Why it does not give the same bits again from the same system alone; empty for the others, which repeat exactly.
// options: as [linear.SYSTEM], with what holds where it says nothing.
inline std::string why_not_the_same(const Table& options, const std::string& default_method, double default_tolerance,
                                    const Traits& preconditioner) {
  if (!preconditioner.repeats) return "asynchronous, no two solves are alike";
  if (preconditioner.remembers) return "its factors go back to those of the systems before";
  const std::string method = read_solver_names(options, default_method, "none").method;
  if (read_krylov_options(options, KrylovOptions{default_tolerance}, method).recycle > 0)
    return "it learns from the solves before (recycle)";
  return "";
}

// What ends its solves, and nothing else of its options: what candidates are held to where they say nothing.
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
