// Stands in for suitesparse.cpp where CHOLMOD and UMFPACK were not found.
#include "solvers/adapters/peer.hpp"

weir::PeerLibrary weir::suitesparse_library() { return absent_library("suitesparse", "SuiteSparse"); }
