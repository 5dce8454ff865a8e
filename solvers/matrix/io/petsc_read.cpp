// Reads PETSc's binary files (petsc_binary.hpp).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "solvers/matrix/io/petsc_binary.hpp"

namespace weir {
namespace {

constexpr std::int32_t matrix_id = 1211216, vector_id = 1211214;

template <class T>
T from_big_endian(T value) {
  if constexpr (std::endian::native == std::endian::little) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    std::reverse(bytes, bytes + sizeof(T));
    std::memcpy(&value, bytes, sizeof(T));
  }
  return value;
}

class PetscReader {
 public:
  explicit PetscReader(const std::string& path) : path_(path), in_(path, std::ios::binary) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) throw Error(Exit::usage, path + ": no such file");
    size_ = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
    if (!in_ || error) throw Error(Exit::file_io, path + ": cannot be read");
  }
  std::int64_t size() const { return size_; }
  void go_to(std::int64_t offset) {
    at_ = offset;
    in_.seekg(offset);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Exit::usage, path_ + ": byte " + std::to_string(at_) + ": " + what);
  }
  template <class T>
  std::vector<T> take(std::int64_t count, const char* what) {
    if (count > (size_ - at_) / static_cast<std::int64_t>(sizeof(T)))
      fail("truncated: " + std::to_string(count) + " of " + what + " were expected, but the file ends earlier");
    std::vector<T> values(static_cast<std::size_t>(count));
    in_.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
    if (!in_) throw Error(Exit::file_io, path_ + ": cannot be read");
    for (T& value : values) value = from_big_endian(value);
    at_ += count * static_cast<std::int64_t>(sizeof(T));
    return values;
  }
  std::vector<std::int64_t> integers(std::int64_t count, bool wide, const char* what) {
    if (wide) return take<std::int64_t>(count, what);
    const auto narrow = take<std::int32_t>(count, what);
    return {narrow.begin(), narrow.end()};
  }
  std::vector<double> numbers(std::int64_t count, const char* what) {
    const std::int64_t from = at_;
    std::vector<double> values = take<double>(count, what);
    const auto bad = std::ranges::find_if(values, [](double v) { return !std::isfinite(v); });
    if (bad == values.end()) return values;
    at_ = from + 8 * (bad - values.begin());
    fail(std::string("a finite number of ") + what + " was expected");
  }

 private:
  std::string path_;
  std::ifstream in_;
  std::int64_t size_ = 0, at_ = 0;
};

PetscObject read_sizes(PetscReader& in, std::int64_t at) {
  PetscObject o;
  in.go_to(at);
  std::int64_t id = in.integers(1, false, "class identifiers").front();
  if (id == 0) {  // upper half of a 64-bit identifier
    o.has_wide_integers = true;
    in.go_to(at);
    id = in.integers(1, true, "class identifiers").front();
  }
  const auto swapped = static_cast<std::int64_t>(from_big_endian(static_cast<std::int32_t>(id)));
  if (swapped != id && (swapped == matrix_id || swapped == vector_id))
    in.fail(
        "the file is little-endian; PETSc's binary files are big-endian on every machine: write it with "
        "PetscViewerBinaryOpen");
  o.is_matrix = id == matrix_id;
  if (!o.is_matrix && id != vector_id) {
    in.go_to(at);
    in.fail("expected a matrix (1211216) or a vector (1211214), found " + std::to_string(id));
  }
  const std::int64_t each = o.has_wide_integers ? 8 : 4;
  const auto sizes = in.integers(o.is_matrix ? 3 : 1, o.has_wide_integers, "sizes");
  o.rows = sizes[0];
  o.offset = at + each * (o.is_matrix ? 4 : 2);
  const std::string text = std::to_string(o.rows);
  if (o.rows < 1 || o.rows > 2147483647) in.fail("between 1 and 2147483647 rows were expected, found " + text);
  if (!o.is_matrix) return o;
  o.entries = sizes[2];
  if (sizes[1] != o.rows) in.fail("the matrix is not square: " + text + " x " + std::to_string(sizes[1]));
  if (o.entries < 0) in.fail("dense matrices are not supported; expected a sparse one (AIJ)");
  return o;
}

std::int64_t end_of(const PetscObject& o) {
  const std::int64_t each = o.has_wide_integers ? 8 : 4;
  return o.offset + (o.is_matrix ? each * (o.rows + o.entries) + 8 * o.entries : 8 * o.rows);
}

void sort_rows(const PetscReader& in, BlockCsrData& A) {
  std::vector<std::pair<int, double>> row;
  for (int i = 0; i < A.rows(); ++i) {
    row.clear();
    for (auto e = A.row_start[i]; e < A.row_start[i + 1]; ++e) row.emplace_back(A.column[e], A.value[e]);
    std::ranges::sort(row, [](const auto& p, const auto& q) { return p.first < q.first; });
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k > 0 && row[k].first == row[k - 1].first)
        in.fail("row " + std::to_string(i) + " (from 0): column " + std::to_string(row[k].first) + " is repeated");
      A.column[A.row_start[i] + static_cast<std::int64_t>(k)] = row[k].first;
      A.value[A.row_start[i] + static_cast<std::int64_t>(k)] = row[k].second;
    }
  }
}

}  // namespace

bool is_petsc_binary(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream in(path, std::ios::binary);
  std::int32_t words[2] = {0, 0};
  in.read(reinterpret_cast<char*>(words), sizeof words);
  const std::int32_t first = from_big_endian(words[0]), second = from_big_endian(words[1]);
  const std::int32_t id = first == 0 ? second : first;
  const bool is_little = words[0] == matrix_id || words[0] == vector_id;  // refused later with a message
  return in && (id == matrix_id || id == vector_id || is_little);
}

std::vector<PetscObject> petsc_objects(const std::string& path) {
  PetscReader in(path);
  std::vector<PetscObject> found;
  for (std::int64_t at = 0; at < in.size(); at = end_of(found.back())) {
    found.push_back(read_sizes(in, at));
    if (end_of(found.back()) > in.size())
      in.fail("truncated: the file ends at byte " + std::to_string(in.size()) + ", this " +
              (found.back().is_matrix ? "matrix" : "vector") + " at " + std::to_string(end_of(found.back())) +
              " (complex and single-precision numbers are not supported)");
  }
  if (found.empty()) throw Error(Exit::usage, path + ": the file is empty; expected PETSc matrices or vectors");
  return found;
}

BlockCsrData read_petsc_matrix(const std::string& path, const PetscObject& matrix) {
  PetscReader in(path);
  in.go_to(matrix.offset);
  BlockCsrData A;
  A.row_start.push_back(0);
  for (const std::int64_t count : in.integers(matrix.rows, matrix.has_wide_integers, "row lengths")) {
    if (count < 0) in.fail("a row of " + std::to_string(count) + " entries");
    A.row_start.push_back(A.row_start.back() + count);
  }
  if (A.row_start.back() != matrix.entries)
    in.fail("the row lengths add up to " + std::to_string(A.row_start.back()) + ", not to " +
            std::to_string(matrix.entries));
  A.column.reserve(static_cast<std::size_t>(matrix.entries));
  for (const std::int64_t column : in.integers(matrix.entries, matrix.has_wide_integers, "columns")) {
    if (column < 0 || column >= matrix.rows) in.fail("column " + std::to_string(column) + " outside of the matrix");
    A.column.push_back(static_cast<int>(column));
  }
  A.value = in.numbers(matrix.entries, "the matrix");
  sort_rows(in, A);
  return A;
}

std::vector<double> read_petsc_vector(const std::string& path, const PetscObject& vector) {
  PetscReader in(path);
  in.go_to(vector.offset);
  return in.numbers(vector.rows, "the vector");
}

int petsc_block_size(const std::string& path) {
  std::ifstream info(path + ".info");
  std::string word;
  int size = 0;
  while (info >> word)
    if (word == "-matload_block_size") info >> size;
  return size >= 1 && size <= largest_block ? size : 0;
}

}  // namespace weir
