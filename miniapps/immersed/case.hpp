// The case file of a flow around a body, read and checked: the keys of the incompressible miniapp, and [body].
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "mesh/body/distance/distance_of_all.hpp"
#include "miniapps/immersed/forces.hpp"
#include "miniapps/immersed/geometry/cut_geometry.hpp"
#include "miniapps/structured/case.hpp"

namespace weir {

// How forces become coefficients, and over which time they are averaged.
struct ForceOptions {
  double velocity = 1;      // U
  double area = 1;          // drag = F / (0.5 density U^2 area); in 2D a length
  double length = 1;        // D of the Strouhal number and the wake's length
  double average_from = 0;  // time
  double period = 0;        // period of a forced motion, for drag_noise; 0: none
};

struct BodyCase {
  std::string name;
  ForceOptions forces;
  std::vector<WallScalar> walls;  // wall condition of each scalar
};

struct ImmersedCase {
  IncompressibleCase flow;
  std::vector<BodyCase> bodies;
  ForceOptions forces;  // for the coefficients of the total force: the reference values of the first body
  CellBox box;          // control volume
  int order = 2;        // 4: fourth_order.hpp, and ghosts by a cubic
};

// Name of a quantity of one body in a case with several bodies, for example drag_NAME.
inline std::string with_name(const std::string& quantity, const BodyCase& body) { return quantity + "_" + body.name; }

// Names of the quantities of a scalar on the body: transfer number (Nusselt, Sherwood), mean flux into the fluid, mean
// value.
inline std::vector<std::string> body_quantities_of(const ScalarCase& s) {
  return {s.is_temperature() ? "nusselt" : "sherwood_" + s.name, "body_" + s.flux_name(), "body_" + s.name};
}

// Statistics of each body if there are several (drag_mean_NAME, ...), averaged from average_from on.
inline constexpr const char* body_force_quantities[] = {"drag_mean",      "drag_amplitude", "lift_mean",
                                                        "lift_amplitude", "strouhal",       "torque_mean"};

std::vector<KeyTable> immersed_keys();

ImmersedCase read_immersed_case(const Table& config);

// [ranks] body_layers; 0: as many as the cells next to the body require (cut_part.hpp).
int read_body_layers(const Table& config);

// True if the body reaches beyond a side in y or z.
bool crosses_sides(const Body& body, const Grid& grid, int dim);

// The tables of [body], or of all [[body]].
std::vector<Table> body_tables(const Table& config);

// The bodies, triangulated finer than the grid. `messages` receives the repairs of files.
Bodies read_case_bodies(const Table& config, const ImmersedCase& c, std::vector<std::string>* messages = nullptr);

// Smallest gap between two bodies, from the distances at the corners of the grid. Gaps above about four cells are not
// detected.
Approach nearest_bodies(const Bodies& bodies, const ImmersedCase& c);

// Warnings: a body or a gap thinner than two cells, bodies that overlap, a motion that leaves the grid, a control
// volume that cuts the body. The function moves the bodies and resets them to t = 0.
std::vector<std::string> body_warnings(Bodies& bodies, const ImmersedCase& c);

// Rate that limits the time step for moving bodies: t -> max over the surface nodes of sum_d |u_d| / h_d. u is the
// velocity of the fluid at the node (in an opening: of the flow through it), h_d the smallest cell width along d. Empty
// for fixed bodies, and if the case has dt.
std::function<double(double)> body_rate(const Table& config, const ImmersedCase& c);

// Size of the surface elements: the smallest cell width of the grid.
double surface_spacing(const Grid& grid);

}  // namespace weir
