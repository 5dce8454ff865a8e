// Reads plain and gzipped files: zlib's gzread passes uncompressed data through.
#include <zlib.h>

#include <filesystem>

#include "base/error.hpp"
#include "solvers/matrix/io/market_numbers.hpp"

namespace weir {

std::string unzipped_text(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  if (!file) throw Error(Exit::file_io, path + ": cannot open the matrix file");
  constexpr unsigned chunk = 1u << 22;
  gzbuffer(file, 1u << 17);
  std::string text;
  std::error_code error;
  if (const std::uintmax_t size = std::filesystem::file_size(path, error); !error) text.reserve(size + chunk);
  const std::size_t most = 64 * text.capacity();  // numbers as text compress to a tenth at best
  int got = 1;
  while (got > 0) {
    const std::size_t old = text.size();
    if (old > most) {
      gzclose(file);
      throw Error(Exit::file_io,
                  path + ": unpacks to more than 64 times its size, which is not plausible for a matrix");
    }
    text.resize(old + chunk);
    got = gzread(file, text.data() + old, chunk);
    text.resize(old + static_cast<std::size_t>(got > 0 ? got : 0));
  }
  int code = Z_OK;
  gzerror(file, &code);
  gzclose(file);
  if (got < 0 || (code != Z_OK && code != Z_STREAM_END))
    throw Error(Exit::file_io, path + ": cannot be read" + (code == Z_BUF_ERROR ? " (truncated gzip file)" : ""));
  return text;
}

}  // namespace weir
