// Incompressible flow around a body by a fractional step on a staggered Cartesian grid, sharp interface.
//
//   (u* - u^n)/dt + [(1 + r/2) C(u^n) - r/2 C(u^{n-1})] = -grad p^{n-1/2} + nu/2 lap(u* + u^n)  in the fluid,        (2)
//        u*_G + sum w u*_k = 2 u_B^{n+1}  at ghost nodes: the no-slip condition of the body at t^{n+1}
//   sum_f alpha_f A_f (u* - grad psi).n_f + u_B.S = 0  in every wet cell                                             (3)
//   u^{n+1} = u* - grad psi  on the open faces                                                                       (4)
//   p^{n+1/2} = p^{n-1/2} + psi/dt - nu/2 div u*                                                                      (5)
//
// The three steps are those of Liu, Seo & Mittal (2013), eqs. 2 to 4, with the discrete systems 5 and 6; their predictor has
// no pressure, which leaves a slip of order dt on the body: here p^{n-1/2} is kept in (2) and psi = dt (p^{n+1/2} -
// p^{n-1/2}) solved for, as in the incompressible miniapp (fractional_step.hpp), whose operators, sides and records these
// are. Ghost cells: Mittal et al. (2008), cut_geometry.hpp; the projection: pressure_system.hpp.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mesh/body/body.hpp"
#include "miniapps/immersed/case.hpp"
#include "miniapps/immersed/geometry/cut_arrays.hpp"
#include "miniapps/immersed/geometry/cut_part.hpp"
#include "miniapps/immersed/forces.hpp"
#include "miniapps/immersed/pressure_system.hpp"
#include "miniapps/immersed/velocity_system.hpp"
#include "miniapps/immersed/wide_flow.hpp"
#include "miniapps/structured/boundary.hpp"
#include "miniapps/structured/layout.hpp"
#include "miniapps/structured/metrics.hpp"
#include "miniapps/structured/ranks.hpp"
#include "postproc/run/timings.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/matrix/stencil/banded.hpp"

namespace weir {

template <class Space>
struct BandedSystem {
  // component: 3 for the pressure
  BandedSystem(std::string system, int component, const FlowRanks& ranks, LinearSolver<Space> with);
  void set_remainder(const InterpolationRows& rows, const std::vector<RemoteEntry>& remote);
  std::string name;  // "advection_diffusion" or "pressure": [linear.NAME]

 private:
  std::unique_ptr<Matrix<Space>> matrix_;

 public:
  DistributedBanded<Space>* spread = nullptr;  // null: one rank
  Banded<Space>& bands;                        // of this rank
  const Matrix<Space>& A;
  LinearSolver<Space> solver;
  SolveResult result;
  double setup_seconds = -1;  // of this step; negative: nothing was set up
  bool is_set_up = false;
};

// Copies to the device.
struct Uploads {
  std::int64_t copies = 0, bytes = 0;
};

inline constexpr const char* default_velocity_method = "bicgstab";
inline constexpr const char* default_velocity_preconditioner = "jacobi";
inline constexpr double default_velocity_tolerance = 1e-8;
inline constexpr const char* default_cut_pressure_method = "cg";
inline constexpr const char* default_cut_pressure_preconditioner = "multigrid";
inline constexpr double default_cut_pressure_tolerance = 1e-6;

// From [linear.advection_diffusion] and [linear.pressure] of the table [linear].
template <class Space>
LinearSolver<Space> velocity_solver(const Table& linear);
template <class Space>
LinearSolver<Space> cut_pressure_solver(const Table& linear);

template <class Space>
class ImmersedFlow {
 public:
  ImmersedFlow(const ImmersedCase& c, Body body, const Table& linear);
  // layers: of cells around a rank's own that it looks at beside the body; 0: as many as needed.
  ImmersedFlow(const ImmersedCase& c, Body body, const Table& linear, const FlowRanks& ranks, int layers = 0);

  // Sets u^0 by the case and projects it. False: the projection failed.
  bool initialise(Timings& timings);

  // Equations (2) to (5). Null where all went well, else the system whose solver failed.
  const BandedSystem<Space>* advance(double dt, Timings& timings);

  // max |u* - u^n| / dt of the last step.
  double rate() const;

  // On the body, over the density: of the flow as it is, and the control volume's over the last step.
  Force surface_force();
  const double (&control_volume_force() const)[3] { return control_force_; }

  // Of the geometry in the last step: apertures, kinds, rows. None on Host, nor for a fixed body.
  const Uploads& uploads() const { return uploads_; }

  double max_mass_error();  // max over the cells of |sum of fluxes| / V, after a step

  double time = 0;
  std::int64_t step = 0;
  double dt_before = 0;

  const IncompressibleCase& flow_case() const { return case_.flow; }
  const ImmersedCase& immersed_case() const { return case_; }
  const FlowRanks& ranks() const { return ranks_; }
  Traffic traffic() const;  // of the fields; the systems' is theirs
  const std::string& halo_path() const { return halo_.path(); }
  const Layout& layout() const { return flow_.layout; }  // of this rank
  const Metrics& metrics() const { return metrics_.view(); }
  const Flow<Space>& flow() const { return flow_; }
  Flow<Space>& flow() { return flow_; }
  const CutGeometry& cut() const { return cut_; }  // over ranks: of the rank's region
  const CutFields& own_cut() const { return ranks_.alone() ? static_cast<const CutFields&>(cut_) : part_.fields(); }
  const Body& body() const { return body_; }
  std::vector<std::unique_ptr<BandedSystem<Space>>>& systems() { return systems_; }
  BandedSystem<Space>& pressure() { return *systems_.back(); }

  std::vector<std::pair<std::string, Array<double, Space>*>> state();
  void after_loading();

 private:
  ImmersedFlow(const ImmersedCase& c, Body body, const Table& linear, std::unique_ptr<Communicator> alone);
  void place_body(double t);
  void upload_rows();
  void fill_ghosts();
  void set_ghosts_of_body();
  void assemble(double dt);
  void prepare(BandedSystem<Space>& system);
  bool project(double dt, Timings& timings);

  std::unique_ptr<Communicator> alone_;  // where no ranks were given
  ImmersedCase case_;
  Body body_;
  FlowRanks ranks_;
  MetricArrays<Space> metrics_;
  Flow<Space> flow_;
  BoundaryValues<Space> boundary_;
  FlowHalo<Space> halo_;
  CutGeometry cut_;
  WideFlow<Space> wide_;
  CutPart part_;  // over ranks
  CutArrays<Space> arrays_;
  OpenFaces<Space> open_faces_;
  GrowingArray<unsigned char, Space> wide_wet_;  // over ranks
  std::vector<OperatorLines<Space>> lines_;
  std::array<Array<double, Space>, 3> advection_, delta_;
  Array<double, Space> psi_, rhs_;
  GrowingArray<double, Space> piece_work_;
  std::vector<std::unique_ptr<BandedSystem<Space>>> systems_;
  ControlVolume<Space> control_;
  double control_force_[3] = {};
  double operator_dt_ = 0;
  int wet_cells_ = 0;
  Uploads uploads_;
};

}  // namespace weir
