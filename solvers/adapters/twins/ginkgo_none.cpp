// Stands in for ginkgo.cpp where Ginkgo was not found.
#include "solvers/adapters/peer.hpp"

weir::PeerLibrary weir::ginkgo_library() { return absent_library("ginkgo", "Ginkgo"); }
