// Stands in for eigen.cpp where Eigen was not found.
#include "base/error.hpp"
#include "solvers/adapters/peer.hpp"

namespace weir {

PeerLibrary eigen_library() {
  return {"eigen", [] { return false; },
          [](const std::string& what, const KrylovOptions&) -> std::unique_ptr<Peer> {
            throw Error(Exit::usage, "'eigen:" + what + "': this build lacks Eigen");
          }};
}

}  // namespace weir
