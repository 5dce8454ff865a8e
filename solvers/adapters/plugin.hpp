// Adapters in shared objects of their own, weir_NAME.so next to the program, loaded on first use: libraries that
// would slow every start if linked (PETSc and hypre: 45 ms and 20 MB), or under the GPL (SuiteSparse). Each has its
// own dependencies: Debian's PETSc links a different hypre than -DHYPRE_DIR may name.
#pragma once
#include "solvers/adapters/peer.hpp"

namespace weir {

// Exported by each plugin. Throws as make_peer does; the caller owns the result.
using MakePeer = Peer*(const char* library, const std::string& what, const KrylovOptions& options);
extern "C" MakePeer weir_make_peer;
PeerLibrary library_in_plugin(const char* name);

// A function of NAME.so, which stays loaded. Throws Error(usage) with the path or the loader's message.
void* plugin_function(const std::string& name, const char* function);

}  // namespace weir
