// The data of a compressible run.
#pragma once
#include <array>
#include <vector>

#include "miniapps/compressible/body_force.hpp"
#include "miniapps/compressible/case.hpp"
#include "miniapps/compressible/convergence/force_window.hpp"
#include "miniapps/compressible/discretisation/mesh_facts.hpp"
#include "miniapps/compressible/forces.hpp"
#include "miniapps/compressible/pseudo_time.hpp"
#include "miniapps/compressible/quantities.hpp"
#include "miniapps/compressible/sampling/history_points.hpp"
#include "miniapps/driver/force_statistics.hpp"
#include "miniapps/driver/lagged_preconditioner.hpp"
#include "miniapps/driver/system_defaults.hpp"

namespace weir {

inline constexpr SystemDefaults compressible_system{"flow", "gmres", "block_ilu0", 0.03, on_block_csr, false, true};

// Memory of the discretisation.
std::int64_t space_bytes(const MeshFacts& mesh, const CompressibleCase& c);

// Equal time steps `dt` from `time` on; `step` steps lie before.
struct TimeSteps {
  double time = 0, dt = 0;
  std::int64_t step = 0;
};

template <class Space>
struct CompressibleFlow {
  const CompressibleCase& c;
  const MeshRanks* ranks;        // null: one rank
  const UnstructuredMesh& mesh;  // with ranks: this rank's part
  const std::vector<FlowBoundary>& boundary;
  // The whole mesh; with ranks on rank 0 only.
  const UnstructuredMesh& whole;
  std::int64_t cells;
  std::array<double, 2> places{};  // checksum of the cell centres in order (place_sum.hpp); 0: whole mesh not available
  int values;                      // number of unknowns per cell: 4, turbulent 5 or 6
  Discretisation<Space> space;
  BodyForce<Space> force;
  FlowEquations<Space> equations;
  PseudoTime<Space> pseudo;
  WallForces<Space> walls;
  HistoryPoints<Space> points;
  ForceWindow force_window;
  ForceStatistics statistics;
  Array<double, Space> older;  // unsteady flow: the state at the previous level
  std::int64_t step = 0, first_step_second_order = -1;
  double time = 0;
  TimeSteps time_steps;
  LaggedPreconditioner<Space> lagged;         // state of a lagged preconditioner, for checkpoints
  std::vector<Array<double, Space>> outside;  // outside states per patch; empty if the data are constant
  std::vector<double> outside_on_host;
  bool outside_is_set = false;

  // over: null for one rank; otherwise `on` is the mesh of its part.
  CompressibleFlow(const CompressibleCase& flow_case, const UnstructuredMesh& on, const std::vector<FlowBoundary>& with,
                   const Table& linear, const MeshRanks* over = nullptr);

  int own_cells() const { return equations.cells(); }
  void initialise();            // sets the initial state
  void set_outside(double at);  // data of boundaries and of the force that vary in space or time

  // The global state in host memory on rank 0, empty on other ranks. Collective.
  std::vector<double> on_host() { return on_host(pseudo.state()); }
  std::vector<double> on_host(const Array<double, Space>& U) const {
    return ranks ? ranks->gathered(U.to_vector()) : U.to_vector();
  }
  // An array of states of this rank's cells in checkpoints, which have all cells. Collective.
  void save(CheckpointState& into, const char* name, const Array<double, Space>& U) const {
    if constexpr (std::is_same_v<Space, Host>)
      into.add(name, std::span<const double>(U.data(), static_cast<std::size_t>(U.size())), spread());
    else
      into.keep(name, U.to_vector(), spread());
  }
  void load(const Checkpoint& from, const char* name, Array<double, Space>& U) const {
    U.upload(from.part(name, spread(), static_cast<std::size_t>(U.size())));
  }
  const Spread* spread() const { return ranks ? &ranks->cells : nullptr; }  // of the states over the ranks
  // f(FlowFields) on rank 0, which has the whole mesh. Collective.
  template <class F>
  void with_fields(const F& f) {
    const std::vector<double> copy = std::is_same_v<Space, Host> ? std::vector<double>() : pseudo.state().to_vector();
    const std::span<const double> U =
        std::is_same_v<Space, Host> ? std::span(pseudo.state().data(), static_cast<std::size_t>(pseudo.state().size()))
                                    : std::span(copy);
    const std::vector<double> eddies = eddy_viscosity();
    if (!ranks) return f(FlowFields{whole, PagedArray(U), c.gas.gamma, PagedArray(eddies)});
    RootReads reads(ranks->communicator);
    const auto paged = [&](std::span<const double> values) {
      return PagedArray(reads, reads.add(ranks->cells, values), ranks->cells.whole_size());
    };
    const PagedArray states = paged(U);
    const FlowFields fields{whole, states, c.gas.gamma,
                            c.turbulence.is_sst ? paged(eddies) : PagedArray(std::span<const double>())};
    reads.while_root([&] { f(fields); });
  }
  // Eddy viscosity of the SST model, relative to the viscosity of the free stream, as the first of `values` values of
  // each cell of this rank; empty without the model.
  std::vector<double> eddy_viscosity();
  // Takes the state of another run, `all` on rank 0; k and omega are made positive.
  void carry(std::vector<double> all);
};

}  // namespace weir
