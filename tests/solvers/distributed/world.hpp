// The ranks of the test program.
#pragma once
#include "solvers/parallel/communicator.hpp"

namespace weir::test {

Communicator& world();

}  // namespace weir::test
