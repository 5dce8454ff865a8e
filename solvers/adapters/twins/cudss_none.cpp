// Stands in for cudss.cpp where cuDSS was not found, and in builds for the CPU.
#include "solvers/adapters/peer.hpp"

weir::PeerLibrary weir::cudss_library() { return absent_library("cudss", "cuDSS"); }
