// Weir built without MPI.
#include "solvers/parallel/communicator.hpp"

namespace weir {

std::string mpi_library() { return ""; }

std::unique_ptr<Communicator> make_world() { return std::make_unique<Communicator>(); }

}  // namespace weir
