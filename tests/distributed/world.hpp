// The ranks of the test program.
#pragma once
#include "solvers/distributed/communicator.hpp"

namespace weir::test {

Communicator& world();

}  // namespace weir::test
