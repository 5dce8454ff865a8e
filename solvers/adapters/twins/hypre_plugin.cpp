// Stands in the program for hypre.cpp, a plugin.
#include "solvers/adapters/plugin.hpp"

weir::PeerLibrary weir::hypre_library() { return library_in_plugin("hypre"); }
