// Incompressible flow around a body by a fractional step on a staggered Cartesian grid, sharp interface.
//
//   (u* - u^n)/dt + [(1 + r/2) C(u^n) - r/2 C(u^{n-1})] = -grad p^{n-1/2} + nu/2 lap(u* + u^n)  in the fluid,       (2)
//        u*_G + sum w u*_k = w_B u_B^{n+1}  at ghost nodes: the no-slip condition of the body at t^{n+1}
//   sum_f alpha_f A_f (u* - grad psi).n_f + u_B.S = 0  in every wet cell                                            (3)
//   u^{n+1} = u* - grad psi  on the open faces                                                                      (4)
//   p^{n+1/2} = p^{n-1/2} + psi/dt - nu/2 div u*                                                                  (5)
//
// The three steps are those of Liu, Seo & Mittal (2013), eqs. 2 to 4, with the discrete systems 5 and 6. Their
// predictor has no pressure, which leaves a slip of order dt on the body. Here (2) keeps p^{n-1/2} and (3) gives psi =
// dt (p^{n+1/2} - p^{n-1/2}), as in the incompressible miniapp (fractional_step.hpp), whose operators, sides and
// records are used. The weights of the ghost nodes are those of a parabola (bodies with openings: of a straight line,
// w_B = 2), see cut_geometry.hpp; for the projection see pressure_system.hpp.
#pragma once
#include "mesh/body/bodies.hpp"
#include "miniapps/immersed/case.hpp"
#include "miniapps/immersed/forces.hpp"
#include "miniapps/immersed/fourth_order.hpp"
#include "miniapps/immersed/geometry/cut_arrays.hpp"
#include "miniapps/immersed/geometry/cut_part.hpp"
#include "miniapps/immersed/pressure_system.hpp"
#include "miniapps/immersed/velocity_system.hpp"
#include "miniapps/immersed/wide_flow.hpp"
#include "miniapps/incompressible/scalar.hpp"
#include "miniapps/incompressible/staggered_flow.hpp"
#include "solvers/matrix/stencil/banded.hpp"

namespace weir {

// Copies to the device.
struct Uploads {
  std::int64_t copies = 0, bytes = 0;
};

inline constexpr SystemDefaults velocity_system{"advection_diffusion", "bicgstab", "jacobi", 1e-8, on_banded};
inline constexpr SystemDefaults cut_pressure_system{"pressure", "cg", "multigrid", 1e-6, on_banded, true};

// [linear.NAME] of a scalar; the case must outlive it.
inline SystemDefaults body_scalar_system(const ScalarCase& s) {
  return {s.name.c_str(), "bicgstab", "jacobi", 1e-8, on_banded};
}

template <class Space>
class ImmersedFlow : public StaggeredFlow<Space> {
  using Base = StaggeredFlow<Space>;

 public:
  using Base::metrics, Base::pressure;
  ImmersedFlow(const ImmersedCase& c, Bodies bodies, const Table& linear)
      : ImmersedFlow(c, std::move(bodies), linear, FlowRanks(c.flow)) {}
  // layers: number of cell layers around the part of a rank in which bodies are classified; 0: the number that the
  // bodies require.
  ImmersedFlow(const ImmersedCase& c, Bodies bodies, const Table& linear, const FlowRanks& ranks, int layers = 0);

  // Sets u^0 by the case and projects it. False: the projection failed.
  bool initialise(Timings& timings);

  // Equations (2) to (5). Returns null on success, otherwise the system whose solver failed.
  const FlowSystem<Space>* advance(double dt, Timings& timings);
  double rate() const { return Base::steady_rate(scalars_); }

  // Loads on each piece of the surface: on rank 0, empty on the other ranks. Must be called by all ranks.
  std::vector<SurfaceLoad> surface_loads(std::size_t body = 0);
  // Force on one body from the present flow, divided by the density.
  Force surface_force(std::size_t body = 0);
  SurfaceScalar surface_scalar(std::size_t scalar, std::size_t body = 0);  // summed over all ranks
  // Mean force on all bodies over the last step, from the control volume, divided by the density.
  const double (&control_volume_force() const)[3] { return control_force_; }

  // Copies of geometry in the last step: apertures, kinds, rows. None on Host, nor for a fixed body.
  const Uploads& uploads() const { return uploads_; }

  double max_mass_error();  // max over the cells of |sum of fluxes| / V, after a step

  const CutGeometry& cut() const { return cut_; }  // with several ranks: on the region of the rank
  const CutFields& own_cut() const { return ranks_.alone() ? static_cast<const CutFields&>(cut_) : part_.fields(); }
  const Bodies& bodies() const { return bodies_; }

  NamedArrays<Space> state();  // includes the scalars
  void after_loading();

 private:
  using Base::flow_case_, Base::ranks_, Base::flow_, Base::boundary_, Base::force_, Base::halo_, Base::advection_,
      Base::delta_, Base::psi_, Base::rhs_, Base::systems_, Base::operator_dt_;

  // The steps of advance, each with its timer. A pointer is null, or the system that failed.
  void move_bodies(double dt, Timings& timings);
  bool advance_boundary(double dt, Timings& timings);                     // returns whether the sides' velocity changes
  const FlowSystem<Space>* advance_scalars(double dt, Timings& timings);  // (6) of scalar.hpp
  const FlowSystem<Space>* advance_momentum(double dt, bool sides_move, Timings& timings);  // (2)
  bool project(double dt, Timings& timings);  // (3) to (5); dt = 0: (3) and (4)
  void set_ghosts(Timings& timings);
  void measure_force(double dt, Timings& timings);  // on all bodies, from the control volume

  static int scalar_nodes_of(std::size_t scalar) { return scalar_nodes + static_cast<int>(scalar); }
  const OperatorLines<Space>& scalar_lines(std::size_t scalar) const {
    return lines_[static_cast<std::size_t>(flow_case_.dim()) + scalar];
  }
  void add_system(const SystemDefaults& system, int component, const Table& linear);
  BodyPieces pieces_of(std::size_t body) const;  // pieces of this rank
  void place_bodies(double t);
  void measure_driving(double dt, double (&driven)[3]);
  void upload_rows();
  void set_ghosts_of_body();
  void velocity_changed();
  void assemble(double dt);
  void refuse_shut_off_inflow();
  void assemble_pressure();
  void prepare(FlowSystem<Space>& system);
  View<const double> assemble_momentum_rhs(int component, double dt, bool sides_move);  // of (2)
  WallMotions wall_motions() const;

  ImmersedCase case_;
  Bodies bodies_;
  CutGeometry cut_;
  WideFlow<Space> wide_;
  std::vector<Scalar<Space>> scalars_;
  CutPart part_;  // used with several ranks
  CutArrays<Space> arrays_;
  OpenFaces<Space> open_faces_;
  GrowingArray<unsigned char, Space> wide_wet_;  // used with several ranks
  std::vector<OperatorLines<Space>> lines_;
  std::unique_ptr<FourthOrder<Space>> fourth_order_;  // null: second order
  GrowingArray<double, Space> piece_work_;
  ControlVolume<Space> control_;
  double control_force_[3] = {};
  int wet_cells_ = 0;
  Uploads uploads_;
};

}  // namespace weir
