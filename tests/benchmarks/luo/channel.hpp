// Systems of our own channels: the turbulent channel at Re_tau 178 in a box
// (inputs/incompressible/channel_cube_komega.toml), a few pseudo-time steps after its perturbed start. n = 6 with the
// k-omega model, n = 4 without.
#pragma once
#include <string>

#include "tests/support/systems/block_systems.hpp"

namespace weir::bench {

// A x = b of the last of `steps` steps.
test::BlockSystem channel_system(Extents cells, int n, int steps = 3);

// The case's text. n = 4: without a model. time: what stands in [time] and below.
std::string channel_text(Extents cells, int n, const std::string& time);

}  // namespace weir::bench
