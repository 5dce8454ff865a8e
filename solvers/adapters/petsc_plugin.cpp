// Stands in the program for petsc.cpp, which is part of the plugin.
#include "solvers/adapters/plugin.hpp"

weir::PeerLibrary weir::petsc_library() { return library_in_plugin("petsc"); }
