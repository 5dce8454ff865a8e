// Stands in for petsc.cpp where PETSc was not found.
#include "solvers/adapters/peer.hpp"

weir::PeerLibrary weir::petsc_library() { return absent_library("petsc", "PETSc"); }
