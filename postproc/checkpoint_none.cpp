// Stands in for checkpoint.cpp in a build without HDF5.
#include "base/error.hpp"
#include "postproc/checkpoint.hpp"

namespace weir {

bool checkpoints_available() { return false; }

void write_checkpoint(const std::string& path, const CheckpointHeader&, const CheckpointState&) {
  throw Error(Exit::file_io, "cannot write " + path + ": this weir was built without HDF5, which checkpoints need");
}

Checkpoint read_checkpoint(const std::string& path) {
  throw Error(Exit::file_io, "cannot read " + path + ": this weir was built without HDF5, which checkpoints need");
}

}  // namespace weir
