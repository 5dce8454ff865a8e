// Stands in for hypre.cpp where hypre was not found.
#include "solvers/adapters/peer.hpp"

weir::PeerLibrary weir::hypre_library() { return absent_library("hypre", "hypre"); }
