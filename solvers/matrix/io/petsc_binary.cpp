#include "solvers/matrix/io/petsc_binary.hpp"

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/error.hpp"
#include "solvers/matrix/block/cut_blocks.hpp"

namespace weir {
namespace {

constexpr std::int32_t matrix_id = 1211216, vector_id = 1211214;

class BigEndianFile {
 public:
  explicit BigEndianFile(const std::string& path) : path_(path), stream_(path + ".partial", std::ios::binary) {}
  template <class T>
  void put(T value) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    if constexpr (std::endian::native == std::endian::little)
      for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
    stream_.write(reinterpret_cast<const char*>(bytes), sizeof(T));
  }
  void finish() {
    stream_.close();
    std::error_code error;
    if (stream_) std::filesystem::rename(path_ + ".partial", path_, error);
    if (stream_ && !error) return;
    std::filesystem::remove(path_ + ".partial", error);
    throw Error(Exit::file_io, path_ + ": cannot write the file");
  }

 private:
  std::string path_;
  std::ofstream stream_;
};

void put_matrix(BigEndianFile& file, const BlockCsrData& A) {
  file.put(matrix_id);
  for (const std::size_t n : {static_cast<std::size_t>(A.rows()), static_cast<std::size_t>(A.rows()), A.value.size()})
    file.put(static_cast<std::int32_t>(n));
  for (std::size_t i = 0; i + 1 < A.row_start.size(); ++i)
    file.put(static_cast<std::int32_t>(A.row_start[i + 1] - A.row_start[i]));
  for (const int column : A.column) file.put(std::int32_t{column});
  for (const double value : A.value) file.put(value);
}

}  // namespace

void write_petsc_binary(const std::string& path, const BlockCsrData& matrix,
                        const std::vector<std::span<const double>>& vectors) {
  if (matrix.value.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw Error(Exit::usage, path + ": PETSc's 32-bit files are limited to 2^31 - 1 entries");
  BigEndianFile file(path);
  if (matrix.block > 1)
    put_matrix(file, scalar_rows(matrix));
  else
    put_matrix(file, matrix);
  for (const auto& vector : vectors) {
    file.put(vector_id);
    file.put(static_cast<std::int32_t>(vector.size()));
    for (const double value : vector) file.put(value);
  }
  file.finish();
}

}  // namespace weir
