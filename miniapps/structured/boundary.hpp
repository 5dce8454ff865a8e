// Velocity on the sides of the box, and the ghosts through which the operators use it.
//   wall, inlet   u = b(t), given
//   slip          u_n = 0, du_t/dn = 0
//   outlet        db/dt + U db/dn = 0, U the mean outflow, implicit upwind: b' = (b + k u_inner) / (1 + k) with
//                 k = dt U / distance; then a constant is added to the normal component, so that what flows in flows
//                 out and the pressure system has a solution
// Without an outlet the quadrature error of formulas is distributed over the patches with formulas. Each patch of a
// side has its own condition (sides/patch.hpp). A ghost mirrors the value on the side, u_ghost = 2 b - u_inner, so that
// one formula applies to every cell; a face on the side contains b itself.
#pragma once
#include <vector>

#include "miniapps/structured/case.hpp"
#include "miniapps/structured/layout.hpp"
#include "miniapps/structured/metrics.hpp"
#include "miniapps/structured/sides/plane.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

// b on every side at the old and the new time level: one plane per side and component, as wide as the padded field.
template <class Space>
class BoundaryValues {
 public:
  // The case must outlive this. ranks: null for one rank.
  BoundaryValues(const IncompressibleCase& c, const Metrics& metrics, const Layout& layout,
                 const Communicator* ranks = nullptr);

  // Sets both levels at time t from the case. An outlet takes the values of the field on its faces, corrected by the
  // mass balance. taken: flux that leaves the fluid inside the box through the surface of a body.
  void initialise(const Flow<Space>& flow, double t, double taken = 0);
  // Computes b at t + dt in next(). Returns whether b changes in time; if not, next() equals now().
  bool advance(const Flow<Space>& flow, double t, double dt, double taken = 0);
  void swap() { std::swap(now_, next_); }
  // Updates next() and the fluxes after now() was read from a checkpoint.
  void follow_loaded();

  // Contribution of the change of b over the step to the delta form of Crank-Nicolson (momentum.hpp).
  void add_increment(int component, double dt, View<double> rhs);
  // Sets the faces on the sides, the ghosts next to them and the periodic images from now().
  void set_ghosts(Flow<Space>& flow);
  // Sets the normal component on the sides, the only one that the divergence reads.
  void set_normal_velocity(Flow<Space>& flow);

  double* now(int side, int component) { return now_.data() + planes_.offset(side, component); }
  double* next(int side, int component) { return next_.data() + planes_.offset(side, component); }
  const int* patch_of(int side, int component) const { return owner_.data() + planes_.offset(side, component); }
  // Values of the formulas for b without the modulation; null: the case has no formulas.
  const double* formula(int side, int component) const {
    return formula_.size() > 0 ? formula_.data() + planes_.offset(side, component) : nullptr;
  }
  Array<double, Space>& values() { return now_; }  // the complete state, for checkpoints

  const Communicator* ranks() const { return ranks_; }  // null: one rank

  const IncompressibleCase& c;
  const Metrics m;
  const Layout l;
  std::vector<double> flux;  // into the whole box through each patch, at the new level

 private:
  void evaluate_formulas(double t, bool only_changing);

  BoundaryPlanes planes_;
  const Communicator* ranks_;
  Array<double, Space> now_, next_;
  std::vector<int> host_owner_;
  Array<int, Space> owner_;           // patch of each point
  std::vector<double> host_formula_;  // empty: the case has no formulas
  Array<double, Space> formula_;
};

// Sets the periodic images of a padded field that belong to this rank.
template <class Space>
void periodic_ghosts(const Layout& layout, double* field);

// Sets the periodic images of the pressure; its other ghosts are never read.
template <class Space>
void pressure_ghosts(Flow<Space>& flow);

}  // namespace weir
