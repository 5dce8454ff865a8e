// Replaces market_gzip.cpp if zlib is missing.
#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "base/foreign/optional_library.hpp"
#include "solvers/matrix/io/market_numbers.hpp"

namespace weir {

std::string unzipped_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(Exit::file_io, path + ": cannot open the matrix file");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (text.starts_with("\x1f\x8b"))
    throw Error(Exit::usage, path + ": the file is gzipped, and " + lacks("zlib") + "; gunzip it first");
  return text;
}

}  // namespace weir
