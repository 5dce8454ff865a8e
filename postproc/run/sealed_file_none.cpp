// Stands in for sealed_file.cpp in a build without HDF5.
#include "base/error.hpp"
#include "base/foreign/optional_library.hpp"
#include "postproc/run/sealed_file.hpp"

namespace weir {

bool sealed_files_available() { return false; }

void write_sealed_file(const std::string& path, const SealedFormat& format, const SealedContent&) {
  throw Error(Exit::file_io, "cannot write " + path + ": " + lacks("HDF5") + ", which " + format.name + "s need");
}

SealedFile read_sealed_file(const std::string& path, const SealedFormat& format, std::int64_t) {
  throw Error(Exit::file_io, "cannot read " + path + ": " + lacks("HDF5") + ", which " + format.name + "s need");
}

void read_sealed_piece(const std::string& path, const std::string&, std::int64_t, std::span<double>) {
  throw Error(Exit::file_io, "cannot read " + path + ": " + lacks("HDF5"));
}

}  // namespace weir
