// Stands in for petsc.cpp where PETSc was not found.
#include "base/error.hpp"
#include "solvers/adapters/peer.hpp"

namespace weir {

PeerLibrary petsc_library() {
  return {"petsc", [] { return false; },
          [](const std::string& what, const KrylovOptions&) -> std::unique_ptr<Peer> {
            throw Error(Exit::usage, "'petsc:" + what + "': this build lacks PETSc");
          }};
}

}  // namespace weir
