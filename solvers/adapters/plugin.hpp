// Libraries that only some runs need, and that cost every start if they were linked (PETSc and hypre: 45 ms and 20 MB), or that
// are under the GPL (SuiteSparse): the adapter of each is a shared object of its own beside the program, weir_NAME.so, loaded
// when first named. Each has its own dependencies: Debian's PETSc brings another hypre than -DHYPRE_DIR may name.
#pragma once
#include "solvers/adapters/peer.hpp"

namespace weir {

// What each of them offers: throws as make_peer does; the caller owns what it gets.
using MakePeer = Peer*(const char* library, const std::string& what, const KrylovOptions& options);
extern "C" MakePeer weir_make_peer;
PeerLibrary library_in_plugin(const char* name);

// A function of NAME.so, which stays loaded. Error(usage) that says where it was looked for, or what the loader says.
void* plugin_function(const std::string& name, const char* function);

}  // namespace weir
