// Everything that a run of the compressible miniapp keeps, built once.
#pragma once
#include <optional>
#include <vector>

#include "miniapps/compressible/case.hpp"
#include "miniapps/compressible/forces.hpp"
#include "miniapps/compressible/pseudo_time.hpp"
#include "miniapps/study/lifetime.hpp"

namespace weir {

inline constexpr const char* default_compressible_method = "gmres";
inline constexpr const char* default_compressible_preconditioner = "block_ilu0";
inline constexpr double default_compressible_tolerance = 0.03;

// From [linear.flow].
template <class Space>
LinearSolver<Space> compressible_solver(const Table& linear) {
  const Table t = linear.table("flow");
  return LinearSolver<Space>(t, default_compressible_method, default_compressible_preconditioner,
                             default_compressible_tolerance);
}

// What the discretisation will allocate.
std::int64_t space_bytes(const UnstructuredMesh& mesh, const CompressibleCase& c);

template <class Space>
struct CompressibleFlow {
  const CompressibleCase& c;
  const UnstructuredMesh& mesh;
  const std::vector<FlowBoundary>& boundary;
  Discretisation<Space> space;
  FlowEquations<Space> equations;
  PseudoTime<Space> pseudo;
  WallForces<Space> walls;
  Array<double, Space> older;  // of an unsteady flow: the state at the level before
  std::int64_t step = 0, first_step_second_order = -1;
  double time = 0;
  Lifetime<Space> lifetime;  // of the preconditioner

  CompressibleFlow(const CompressibleCase& flow_case, const UnstructuredMesh& on, const std::vector<FlowBoundary>& with,
                   const Table& linear);

  void initialise();              // the initial state, on the host and up
  void set_outside(double at);    // of patches with the exact solution
  std::vector<double> on_host();  // the state
};

}  // namespace weir
