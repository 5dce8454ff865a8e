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
  double period = 0;        // of a forced motion, for drag_noise; 0: none
};

struct BodyCase {
  std::string name;
  ForceOptions forces;
  std::vector<WallScalar> walls;  // of each scalar
};

struct ImmersedCase {
  IncompressibleCase flow;
  std::vector<BodyCase> bodies;
  ForceOptions forces;  // the first body's: of the sums over all
  CellBox box;          // of the control volume
  int order = 2;        // 4: fourth_order.hpp, and ghosts by a cubic
};

// Names of what a body has of its own in a case of several: drag_NAME and the like.
inline std::string with_name(const std::string& quantity, const BodyCase& body) { return quantity + "_" + body.name; }

// Of a scalar on the body: transfer number, mean flux into the fluid, mean value.
inline std::vector<std::string> body_quantities_of(const ScalarCase& s) {
  return {s.is_temperature() ? "nusselt" : "sherwood_" + s.name, "body_" + s.flux_name(), "body_" + s.name};
}

// Of each of several bodies, from average_from on: drag_mean_NAME and the like.
inline constexpr const char* body_force_quantities[] = {"drag_mean",      "drag_amplitude", "lift_mean",
                                                        "lift_amplitude", "strouhal",       "torque_mean"};

std::vector<KeyTable> immersed_keys();

ImmersedCase read_immersed_case(const Table& config);

// [ranks] body_layers; 0: as many as the cells next to the body require (cut_part.hpp).
int read_body_layers(const Table& config);

// The body reaches beyond a side in y or z.
bool crosses_sides(const Body& body, const Grid& grid, int dim);

// The tables of [body], or of all [[body]].
std::vector<Table> body_tables(const Table& config);

// The bodies, triangulated finer than the grid. `messages` receives the repairs of files.
Bodies read_case_bodies(const Table& config, const ImmersedCase& c, std::vector<std::string>* messages = nullptr);

// Where bodies are nearest, as the corners of the grid see it; a gap of more than about four cells is not seen.
Approach nearest_bodies(const Bodies& bodies, const ImmersedCase& c);

// A body or a gap thinner than two cells, bodies that meet, a motion that leaves the grid. Moves the bodies and brings
// them back to t = 0.
std::vector<std::string> body_warnings(Bodies& bodies, const ImmersedCase& c);

// Limit of the time step by moving bodies: t -> max over their nodes of sum_d |u_d| / h_d; u is the velocity of the
// fluid there (in an opening that of the flow through it), h_d the smallest cell along d. Empty for fixed bodies, and
// if the case has dt.
std::function<double(double)> body_rate(const Table& config, const ImmersedCase& c);

// A list of triangles or segments about as fine as the grid next to the body.
double surface_spacing(const Grid& grid);

}  // namespace weir
