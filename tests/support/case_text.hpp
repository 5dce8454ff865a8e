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
