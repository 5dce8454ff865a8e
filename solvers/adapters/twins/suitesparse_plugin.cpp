// Stands in the program for suitesparse.cpp, a plugin.
#include "solvers/adapters/plugin.hpp"

weir::PeerLibrary weir::suitesparse_library() { return library_in_plugin("suitesparse"); }
