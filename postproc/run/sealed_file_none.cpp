// Stands in for sealed_file.cpp in a build without HDF5.
#include "base/error.hpp"
#include "base/foreign/optional_library.hpp"
#include "postproc/run/sealed_file.hpp"

namespace weir {

bool sealed_files_available() { return false; }

void write_sealed_file(const std::string& path, const SealedFormat& format, const SealedContent&) {
  throw Error(Exit::file_io, "cannot write " + path + ": " + lacks("HDF5") + ", which " + format.name + "s need");
}

SealedFile read_sealed_file(const std::string& path, const SealedFormat& format) {
  throw Error(Exit::file_io, "cannot read " + path + ": " + lacks("HDF5") + ", which " + format.name + "s need");
}

}  // namespace weir
