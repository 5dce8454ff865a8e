// Builds without MPI.
#include <cstdlib>

#include "base/error.hpp"
#include "base/foreign/optional_library.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

std::string mpi_library() { return ""; }

// Otherwise each rank would run the whole case and write the same files.
std::unique_ptr<Communicator> make_world() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"})  // of Open MPI, MPICH
    if (const char* ranks = std::getenv(name); ranks && std::atoi(ranks) > 1)
      throw Error(Exit::usage, std::string("mpirun started ") + ranks + " ranks, and " + lacks("MPI"));
  return std::make_unique<Communicator>();
}

std::unique_ptr<Communicator> duplicate_communicator(const void*) { throw Error(Exit::usage, lacks("MPI")); }
std::unique_ptr<Communicator> duplicate_communicator(int) { throw Error(Exit::usage, lacks("MPI")); }

}  // namespace weir
