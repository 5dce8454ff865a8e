// Weir built without MPI.
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

std::string mpi_library() { return ""; }

// Several processes that know nothing of each other would all make the same run.
std::unique_ptr<Communicator> make_world() {
  for (const char* size : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"})
    if (const char* text = std::getenv(size); text && std::atoi(text) > 1)
      throw Error(Exit::usage,
                  std::string("started ") + text +
                      " times by an MPI launcher, but this build has no MPI: configure it with MPI installed");
  return std::make_unique<Communicator>();
}

}  // namespace weir
