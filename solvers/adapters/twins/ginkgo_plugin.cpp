// Stands in the program for ginkgo.cpp, a plugin.
#include "solvers/adapters/plugin.hpp"

weir::PeerLibrary weir::ginkgo_library() { return library_in_plugin("ginkgo"); }
