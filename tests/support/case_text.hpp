// Pieces of case files that more than one end-to-end test runs.
#pragma once
#include <string>

namespace weir::testing {

inline const std::string no_report = "[output]\nreport = false\n";

inline const std::string lid_driven = R"([boundary]
x_min = { type = "wall" }
x_max = { type = "wall" }
y_min = { type = "wall" }
y_max = { type = "wall", velocity = [1.0, 0.0] }
)";

inline const std::string closed_box = R"([boundary]
x_min = { type = "wall" }
x_max = { type = "wall" }
y_min = { type = "wall" }
y_max = { type = "wall" }
z_min = { type = "wall" }
z_max = { type = "wall" }
)";

// More keys of [body] may follow.
inline const std::string ventricle_body = R"([body]
type = "left_ventricle"
radius = 2.66
length = 6.46
base_height = 1.9
)";

inline const std::string inlet_outlet_and_slip = R"([boundary]
x_min = { type = "inlet", velocity = [1.0, 0.0] }
x_max = { type = "outlet" }
y_min = { type = "slip" }
y_max = { type = "slip" }
)";

// All but the times and the solvers.
inline const std::string cavity_12x12 = R"([case]
miniapp = "incompressible"
[grid]
cells = [12, 12]
[flow]
viscosity = 0.01
)" + lid_driven + no_report;

// Possible errors at the borders of ranks: a moving lid, an inlet with a profile, an outlet, stretched cells. All but
// the solvers; `flow`: more keys of [flow].
inline std::string channel_10x17(const std::string& flow = "") {
  return R"([case]
miniapp = "incompressible"
[grid]
cells = [10, 17]
length = [2.0, 1.0]
stretching = ["uniform", { type = "tanh", factor = 1.2 }]
[flow]
viscosity = 0.05
)" + flow +
         R"([boundary]
x_min = { type = "inlet", velocity = [1.0, 0.0], profile = "parabolic" }
x_max = { type = "outlet" }
y_min = { type = "wall" }
y_max = { type = "wall", velocity = [0.5, 0.0] }
[time]
end = 0.12
dt = 0.02
)";
}

// A cylinder in a stream; `motion`: of the body. All but the solvers and the output.
inline std::string cylinder_in_a_stream(int nx, int ny, const std::string& motion = "") {
  return "[case]\nminiapp = \"immersed\"\n[grid]\ncells = [" + std::to_string(nx) + ", " + std::to_string(ny) + R"(]
length = [4.0, 4.0]
origin = [-2.0, -2.0]
stretching = ["uniform", { type = "tanh", factor = 0.7 }]
[flow]
viscosity = 0.05
initial = "uniform"
initial_velocity = [1.0, 0.0]
[body]
type = "cylinder"
diameter = 1.0
position = [0.03, 0.01]
)" + motion +
         inlet_outlet_and_slip + "[time]\nend = 0.12\ndt = 0.02\n";
}
// Across the borders of the boxes of any number of ranks.
inline const std::string swings = "motion = { type = \"oscillation\", amplitude = [0.2, 0.4, 0.0], frequency = 1.0 }\n";

// The same iterations on any number of ranks.
inline const std::string cg_with_jacobi =
    "[linear.pressure]\nmethod = \"cg\"\npreconditioner = { type = \"jacobi\" }\n";

// A viscous flow about a cylinder. All but [pseudo_time] and the solver.
inline const std::string cylinder_at_re_40 = R"([case]
miniapp = "compressible"
[mesh]
generator = { type = "cylinder", around = 24, outward = 12, far_field = 20.0 }
[flow]
mach = 0.4
reynolds = 40.0
[boundary]
wall = { type = "adiabatic_wall" }
farfield = { type = "farfield" }
)" + no_report;

// Every boundary type with data that vary in place and time, a force, and a point. Steps of 0.1.
inline const std::string driven_channel = R"toml([case]
miniapp = "compressible"
[mesh]
generator = { type = "box", cells = [9, 6], length = [2.0, 1.0] }
[flow]
mach = 0.4
reynolds = 50.0
body_force = ["0.05*sin(t)", "0.02*x"]
gravity = [0.0, -0.1]
moment_centre = [1.0, 0.5]
initial = { type = "formula", density = "1 + 0.01*x", velocity = ["0.8", "0.1*y*(1 - y)"], pressure = 4.46 }
[boundary]
x_min = { type = "total_pressure_inlet", total_pressure = "5.0 + 0.1*sin(3*t)", total_temperature = "1.03 + 0.01*y", direction = ["1", "0.1*y"] }
x_max = { type = "mass_flow_outlet", mass_flux = "0.8 + 0.1*y*t" }
y_min = { type = "heat_flux_wall", heat_flux = "0.01*x", velocity = ["0.3*cos(t)", "0"] }
y_max = { type = "isothermal_wall", temperature = "1 + 0.02*x", angular_velocity = 0.2, centre = [1.0, 0.0] }
[time]
end = 1.0
dt = 0.1
[pseudo_time]
cfl_start = 1e4
cfl_max = 1e4
first_order_tolerance = 0.0
tolerance = 1e-4
[[point]]
name = "middle"
at = [1.0, 0.5]
field = "mach"
[linear.flow]
tolerance = 1e-6
preconditioner = { type = "block_jacobi" }
[output]
report = false
average_from = 0.35
)toml";

// Steps of 0.2.
inline const std::string vortex_12x12 = R"([case]
miniapp = "compressible"
[mesh]
generator = { type = "box", cells = [12, 12], length = [10.0, 10.0], periodic = ["x", "y"] }
[flow]
mach = 0.5
initial = { type = "isentropic_vortex", strength = 2.0, centre = [5.0, 5.0] }
[time]
dt = 0.2
)";

// All but [pseudo_time] and the solver.
inline std::string cylinder_at_mach_038(int around, int outward, double far_field) {
  return "[case]\nminiapp = \"compressible\"\n[mesh]\ngenerator = { type = \"cylinder\", around = " +
         std::to_string(around) + ", outward = " + std::to_string(outward) +
         ", far_field = " + std::to_string(far_field) + R"( }
[flow]
mach = 0.38
[boundary]
wall = { type = "slip_wall" }
farfield = { type = "farfield" }
)" + no_report;
}

}  // namespace weir::testing
