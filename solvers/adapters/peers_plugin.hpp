// What weir_peers.so, the plugin with PETSc and hypre, offers.
#pragma once
#include "solvers/adapters/peer.hpp"

namespace weir {

inline constexpr const char* peers_plugin = "weir_peers";

using MakePeer = Peer*(const char* library, const std::string& what, const KrylovOptions& options);
extern "C" MakePeer weir_make_peer;  // throws as make_peer does; the caller owns what it gets

}  // namespace weir
