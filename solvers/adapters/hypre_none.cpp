// Stands in for hypre.cpp where hypre was not found.
#include "base/error.hpp"
#include "solvers/adapters/peer.hpp"

namespace weir {

PeerLibrary hypre_library() {
  return {"hypre", [] { return false; },
          [](const std::string& what, const KrylovOptions&) -> std::unique_ptr<Peer> {
            throw Error(Exit::usage, "'hypre:" + what + "': this build lacks hypre");
          }};
}

}  // namespace weir
