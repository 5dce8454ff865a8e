// The entrance of the plugin.
#include "solvers/adapters/plugin.hpp"

namespace weir {

extern "C" Peer* weir_make_peer(const char* library, const std::string& what, const KrylovOptions& options) {
  const PeerLibrary l = std::string(library) == "petsc" ? petsc_library() : hypre_library();
  return l.make(what, options).release();
}

}  // namespace weir
