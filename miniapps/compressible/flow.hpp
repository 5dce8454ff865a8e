// Everything that a run of the compressible miniapp keeps, built once.
#pragma once
#include <array>
#include <vector>

#include "miniapps/compressible/case.hpp"
#include "miniapps/compressible/convergence/force_window.hpp"
#include "miniapps/compressible/forces.hpp"
#include "miniapps/compressible/pseudo_time.hpp"
#include "miniapps/study/lagged_preconditioner.hpp"
#include "miniapps/study/system_defaults.hpp"

namespace weir {

inline constexpr SystemDefaults compressible_system{"flow", "gmres", "block_ilu0", 0.03, on_block_csr, false, true};

// What the discretisation will allocate.
std::int64_t space_bytes(const UnstructuredMesh& mesh, const CompressibleCase& c);

template <class Space>
struct CompressibleFlow {
  const CompressibleCase& c;
  const MeshRanks* ranks;        // null: one rank
  const UnstructuredMesh& mesh;  // over ranks: of this rank's part
  const std::vector<FlowBoundary>& boundary;
  // Of all ranks; over ranks the whole mesh is there on rank 0 alone.
  const UnstructuredMesh& whole;
  std::int64_t cells;
  std::array<double, 2>
      places{};  // of all cells' centres in their order: place_sum.hpp; 0 where the whole is not there
  int values;    // of a cell: 4, turbulent 5
  Discretisation<Space> space;
  FlowEquations<Space> equations;
  PseudoTime<Space> pseudo;
  WallForces<Space> walls;
  ForceWindow force_window;
  Array<double, Space> older;  // of an unsteady flow: the state at the level before
  std::int64_t step = 0, first_step_second_order = -1;
  double time = 0;
  LaggedPreconditioner<Space> lagged;

  // over: null: one rank; else `on` is the mesh of its part.
  CompressibleFlow(const CompressibleCase& flow_case, const UnstructuredMesh& on, const std::vector<FlowBoundary>& with,
                   const Table& linear, const MeshRanks* over = nullptr);

  int own_cells() const { return equations.cells(); }
  void initialise();            // the initial state, on the host and up
  void set_outside(double at);  // of patches with the exact solution

  // The global state in host memory: on the root rank, empty on the others; all call.
  std::vector<double> on_host() { return on_host(pseudo.state()); }
  std::vector<double> on_host(const Array<double, Space>& U) const {
    return ranks ? ranks->gathered(U.to_vector()) : U.to_vector();
  }
  // all: the whole, on every rank.
  void from_host(const std::vector<double>& all, Array<double, Space>& U) const {
    U.upload(ranks ? ranks->own(all) : all);
  }
};

}  // namespace weir
