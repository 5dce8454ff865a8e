// The adapters' part of LibrarySolvers (solvers/registry.hpp).
#pragma once

namespace weir {

void offer_library_solvers();  // from now on LinearSolver accepts the methods of peer.hpp

}  // namespace weir
