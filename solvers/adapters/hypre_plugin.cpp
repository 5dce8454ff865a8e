// Stands in the program for hypre.cpp, which is part of the plugin.
#include "solvers/adapters/peers_plugin.hpp"
#include "solvers/adapters/plugin.hpp"

namespace weir {

PeerLibrary hypre_library() {
  return {"hypre", [] { return has_plugin(peers_plugin); },
          [](const std::string& what, const KrylovOptions& options) {
            auto* make = reinterpret_cast<MakePeer*>(plugin_function(peers_plugin, "weir_make_peer"));
            return std::unique_ptr<Peer>(make("hypre", what, options));
          }};
}

}  // namespace weir
