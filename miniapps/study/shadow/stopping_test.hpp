// What ends a solve, and nothing else of the reference solver's options: what candidates are held to where they say
// nothing.
#pragma once
#include "base/table.hpp"
#include "solvers/krylov/krylov.hpp"

namespace weir {

inline KrylovOptions stopping_test_of(const Table& leader_options, const KrylovOptions& defaults) {
  const KrylovOptions leader = read_krylov_options(leader_options, defaults, "");
  KrylovOptions o;
  o.tolerance = leader.tolerance;
  o.relative = leader.relative;
  o.reference = leader.reference;
  o.norm = leader.norm;
  o.max_iterations = leader.max_iterations;
  return o;
}

}  // namespace weir
