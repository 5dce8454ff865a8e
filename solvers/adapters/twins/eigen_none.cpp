// Stands in for eigen.cpp where Eigen was not found.
#include "solvers/adapters/peer.hpp"

weir::PeerLibrary weir::eigen_library() { return absent_library("eigen", "Eigen"); }
