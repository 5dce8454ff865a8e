// The case file of a compressible flow. Errors are reported with file and line.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "base/key_table.hpp"
#include "base/table.hpp"
#include "inputs/formula.hpp"
#include "mesh/unstructured/unstructured.hpp"
#include "miniapps/compressible/discretisation/discretisation.hpp"
#include "miniapps/compressible/exact/exact_flow.hpp"

namespace weir {

// Data of a boundary condition as formulas of x, y, t, with the names of BoundaryCondition.
struct BoundaryData {
  std::array<Formula, 4> outside{};
  std::array<Formula, 2> velocity{};
  Formula temperature = 1, amount;
  double angular_velocity = 0;  // angular velocity of a wall
  std::array<double, 2> centre{};
};

// Properties of a patch besides its flux: forces are computed on walls.
struct FlowBoundary {
  std::string name;
  std::string result_name;  // NAME in lift_NAME and similar results of a wall: name_walls
  BoundaryCondition condition;
  BoundaryData data;
  double gamma = 1.4;
  bool varies = false, depends_on_time = false;  // whether the data vary along the boundary and in time
  bool is_wall = false;                          // a body; symmetry lines are not
  bool is_viscous = false;                       // no slip
  bool is_exact = false;                         // set_outside with the exact solution at each time level

  // Condition at a face; throws Error(usage) if the data are impossible there.
  BoundaryCondition at(const std::array<double, 2>& place, const std::array<double, 2>& normal, double t) const;
  BoundaryCondition unchecked_at(const std::array<double, 2>& place, const std::array<double, 2>& normal,
                                 double t) const;
};

// Backward Euler in pseudo-time (Kashi & Nadarajah 2020, eqs. 1 to 4).
struct PseudoTimeOptions {
  double cfl_start = 50, cfl_max = 1e4;
  double exponent_down = 1, exponent_up = 0.5;  // (3): residual falling, rising; the paper: 0.25, 0.3
  double relaxation = 0.5;                      // largest relative change of density and pressure per step
  double least_relaxation = 0.2;                // lower bound of omega in (2)
  double tolerance = 1e-6;             // limit on the energy and turbulence residuals, relative to the first steps
  double first_order_tolerance = 0.1;  // residual reduction of the first-order phase; 0: no such phase
  int coarse_meshes = 0;               // number of coarser meshes on which a steady flow starts
  double coarse_tolerance = 1e-2;      // tolerance of the residual on these meshes
  double force_tolerance = 0;          // largest change of lift and drag over force_window steps; 0: off
  int force_window = 50;
  int max_steps = 500;
  int max_rejections = 12;      // rejections of one step before the run stops
  double rejected_cut = 0.1;    // factor on the CFL number after a rejected step
  double largest_growth = 10;   // steps that multiply the residual by more are rejected
  double growth = 1;            // factor on the CFL number after each full step, in addition to (3)
  bool float_jacobian = false;  // [linear.flow] matrix_storage = "float"
  bool dual_products = false;   // products by dual numbers instead of differences
  bool line_search = false;     // uses the residual with its pseudo-time derivative, instead of largest_growth
  bool matrix_free = false;     // Newton: products with dR/dU of the full scheme; false: first-order Jacobian
};

struct UnsteadyOptions {
  double end = 0, dt = 0;  // end = 0: steady
};

struct HistoryPoint {
  std::string name, field;
  std::array<double, 2> at;
  int cell = -1;
};

struct CompressibleCase {
  std::string title;
  GasModel gas;
  SpatialScheme scheme;
  TurbulenceModel turbulence;
  double reference_length = 1;
  std::array<double, 2> moment_centre{};
  double direction[2] = {1, 0};  // direction of the free stream
  ExactFlow initial, exact;      // exact: for boundaries of type exact, and the exact solution if has_exact
  bool has_exact = false;
  std::array<Formula, 2> body_force;  // force per volume
  std::array<double, 2> gravity{};
  std::string start_from;   // a run or checkpoint; empty: `initial`
  double average_from = 0;  // start time of the force statistics
  std::vector<HistoryPoint> points;
  PseudoTimeOptions pseudo_time;
  UnsteadyOptions time;

  double free_pressure() const { return 1 / (gas.gamma * gas.mach * gas.mach); }
  bool is_unsteady() const { return time.end > 0; }
  bool has_force() const {
    const auto is_zero = [](const Formula& f) { return f.is_constant() && f.at({}, 0) == 0; };
    return !is_zero(body_force[0]) || !is_zero(body_force[1]) || gravity[0] != 0 || gravity[1] != 0;
  }
  std::array<double, 4> free_stream() const { return {1, direction[0], direction[1], free_pressure()}; }
};

std::vector<KeyTable> compressible_keys();

CompressibleCase read_compressible_case(const Table& config);

// Sets the lengths of a periodic box, for the exact solutions.
void take_periods(const UnstructuredMesh& mesh, CompressibleCase& c);

Options boundary_options(std::string_view type);  // "": keys of all types; "moving": keys of no-slip walls

// Reads [boundary]: one entry per patch, in mesh order. Markers and conditions must match.
std::vector<FlowBoundary> read_flow_boundary(const Table& config, const CompressibleCase& c,
                                             const UnstructuredMesh& mesh);

std::vector<BoundaryCondition> conditions_of(const std::vector<FlowBoundary>& boundary);

}  // namespace weir
