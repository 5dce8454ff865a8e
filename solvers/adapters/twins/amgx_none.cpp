// Stands in for amgx.cpp where AMGX was not found, and in builds for the CPU.
#include "solvers/adapters/peer.hpp"

weir::PeerLibrary weir::amgx_library() { return absent_library("amgx", "AMGX"); }
