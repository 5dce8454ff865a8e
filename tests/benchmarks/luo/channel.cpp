#include "tests/benchmarks/luo/channel.hpp"

#include <sstream>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "miniapps/artificial_compressibility/scheme.hpp"

namespace weir::bench {

std::string channel_text(Extents e, int n, const std::string& time) {
  std::ostringstream text;
  text << "[grid]\ncells = [" << e.nx << ", " << e.ny << ", " << e.nz << "]\nlength = [2.0, 2.0, 2.0]\n"
       << "stretching = [\"uniform\", { type = \"tanh\", factor = 2.2 }, \"uniform\"]\n"
       << "[flow]\nscheme = \"artificial_compressibility\"\n"
       << (n == 6 ? "turbulence = \"k_omega\"\n" : "") << "viscosity = 0.005614192\nbody_force = [1.0, 0.0, 0.0]\n"
       << "initial = \"turbulent_channel\"\ninitial_perturbation = 2.0\n[boundary]\n"
       << "x_min = { type = \"periodic\" }\nx_max = { type = \"periodic\" }\n"
       << "y_min = { type = \"wall\" }\ny_max = { type = \"wall\" }\n"
       << "z_min = { type = \"periodic\" }\nz_max = { type = \"periodic\" }\n"
       << "[time]\n"
       << time;
  return text.str();
}

test::BlockSystem channel_system(Extents cells, int n, int steps) {
  const Table config = read_case_text(
      channel_text(cells, n, "steady = true\n[pseudo_time]\nspeed = 15.0\ncfl_start = 2.0\ncfl_max = 2.0\n"),
      "channel");
  const IncompressibleCase c = read_incompressible_case(config);
  ArtificialCompressibility<Host> flow(c, config.table("linear"));
  flow.initialise();
  Timings timings;
  for (int s = 0; s < steps; ++s)
    if (flow.advance(0, timings, [] {}) != StepEnd::advanced)
      throw Error(Exit::solver_failed, "the channel that the system is taken from did not advance");
  const BlockStencil<Host>& A = flow.matrix();
  test::BlockSystem system{
      cells, A.periodic(), n, std::vector<double>(static_cast<std::size_t>(A.values().size())), {}};
  A.download(system.values);
  const View<const double> b = flow.minus_residual();
  system.b.assign(b.data(), b.data() + b.size());
  return system;
}

}  // namespace weir::bench
