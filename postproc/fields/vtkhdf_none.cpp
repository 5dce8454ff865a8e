// Replaces vtkhdf.cpp in a build without HDF5, which refuses [output] fields_format = "vtkhdf" before it comes to
// these.
#include "base/error.hpp"
#include "base/foreign/optional_library.hpp"
#include "postproc/fields/vtkhdf.hpp"

namespace weir {

bool vtkhdf_available() { return false; }

void write_vtkhdf(const std::string& path, const Picture&) {
  throw Error(Exit::file_io, "cannot write " + path + ": " + lacks("HDF5"));
}
void write_vtkhdf(const std::string& path, const MeshPicture&) { write_vtkhdf(path, Picture{}); }

}  // namespace weir
