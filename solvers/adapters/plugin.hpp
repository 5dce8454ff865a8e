// Libraries that only some runs need, and that cost every start if they were linked (PETSc and hypre: 45 ms and 20 MB), or that
// are under the GPL (SuiteSparse):
// their adapters are shared objects of their own beside the program, loaded when first named.
#pragma once
#include "solvers/adapters/peer.hpp"

namespace weir {

// What weir_peers.so, the plugin with PETSc and hypre, and weir_suitesparse.so offer: throws as make_peer does; the caller owns what it gets.
using MakePeer = Peer*(const char* library, const std::string& what, const KrylovOptions& options);
extern "C" MakePeer weir_make_peer;
PeerLibrary library_in_plugin(const char* name, const char* plugin = "weir_peers");

// A function of NAME.so, which stays loaded. Error(usage) that says where it was looked for, or what the loader says.
void* plugin_function(const std::string& name, const char* function);

}  // namespace weir
