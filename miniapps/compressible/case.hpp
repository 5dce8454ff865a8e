// What a case file says about a compressible flow, checked. Anything wrong is refused with file and line.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "base/key_table.hpp"
#include "base/table.hpp"
#include "mesh/unstructured/unstructured.hpp"
#include "miniapps/compressible/discretisation/discretisation.hpp"
#include "miniapps/compressible/exact/exact_flow.hpp"

namespace weir {

// What a patch is for, beside its flux: forces are taken from walls.
struct FlowBoundary {
  std::string name;
  BoundaryCondition condition;
  bool is_wall = false;     // a body: symmetry lines are not
  bool is_viscous = false;  // no slip
  bool is_exact = false;    // set_outside with the exact solution, anew at each time level
};

// Backward Euler in pseudo-time (Kashi & Nadarajah 2020, eqs. 1 to 4).
struct PseudoTimeOptions {
  double cfl_start = 50, cfl_max = 1e4;
  double exponent_down = 1, exponent_up = 0.5;  // (3): where the residual falls, and grows; the paper: 0.25, 0.3
  double relaxation = 0.5;             // the largest relative change of density and pressure that a step may make
  double least_relaxation = 0.2;       // omega of (2) goes no lower than this
  double tolerance = 1e-6;             // of the residual of energy, relative to the first one of its phase
  double first_order_tolerance = 0.1;  // the same for the first-order start; 0: there is none
  int coarse_meshes = 0;               // that a steady flow begins on
  double coarse_tolerance = 1e-2;      // of the residual there
  double force_tolerance = 0;          // of lift and drag over force_window steps: ends the run too; 0: does not
  int force_window = 50;
  int max_steps = 500;
  int max_rejections = 12;      // of one step, before the run gives up
  double rejected_cut = 0.1;    // what a rejected step does to the CFL number
  double largest_growth = 10;   // a step that multiplies the residual by more is rejected
  double growth = 1;            // of the CFL number at each step that was not relaxed, beside (3)
  bool float_jacobian = false;  // its values are stored as floats: [linear.flow] matrix_storage
  bool dual_products = false;   // these by dual numbers, not by differences
  bool line_search = false;     // of the residual with its pseudo-time derivative, instead of largest_growth
  bool matrix_free = false;  // Newton: products with dR/dU of the scheme itself; false: with the first-order Jacobian
};

struct UnsteadyOptions {
  double end = 0, dt = 0;  // end = 0: steady
};

struct CompressibleCase {
  std::string title;
  GasModel gas;
  SpatialScheme scheme;
  TurbulenceModel turbulence;
  double reference_length = 1;
  double direction[2] = {1, 0};  // of the free stream
  ExactFlow initial;             // and the exact solution, where it is one
  bool has_exact = false;
  std::string start_from;  // a run, or its checkpoint; empty: `initial`
  PseudoTimeOptions pseudo_time;
  UnsteadyOptions time;

  double free_pressure() const { return 1 / (gas.gamma * gas.mach * gas.mach); }
  bool is_unsteady() const { return time.end > 0; }
  std::array<double, 4> free_stream() const { return {1, direction[0], direction[1], free_pressure()}; }
};

std::vector<KeyTable> compressible_keys();

// Reads [flow], [numerics], [pseudo_time] and [time] of the whole case file.
CompressibleCase read_compressible_case(const Table& config);

// The lengths of a periodic box, which the exact solutions need.
void take_periods(const UnstructuredMesh& mesh, CompressibleCase& c);

Options boundary_options(std::string_view type);  // "": of all

// Reads [boundary]: one entry a patch, in the mesh's order. A marker without a condition and a condition without a
// marker are refused.
std::vector<FlowBoundary> read_flow_boundary(const Table& config, const CompressibleCase& c,
                                             const UnstructuredMesh& mesh);

std::vector<BoundaryCondition> conditions_of(const std::vector<FlowBoundary>& boundary);

}  // namespace weir
