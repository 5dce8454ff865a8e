// Stands in the program for petsc.cpp, a plugin.
#include "solvers/adapters/plugin.hpp"

weir::PeerLibrary weir::petsc_library() { return library_in_plugin("petsc"); }
