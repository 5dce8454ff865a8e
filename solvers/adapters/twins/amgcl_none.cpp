// Stands in for amgcl.cpp where amgcl was not found.
#include "solvers/adapters/peer.hpp"

weir::PeerLibrary weir::amgcl_library() { return absent_library("amgcl", "amgcl"); }
