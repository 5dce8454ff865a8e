#include "miniapps/study/capture/client_capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "base/crc32.hpp"
#include "postproc/run/machine.hpp"
#include "postproc/run/seal.hpp"
#include "solvers/matrix/facts.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_line = 200, most_lines = 40;

std::string first_words(const char* kind) { return fmt::format("weir-capture {} {}", client_capture_version, kind); }

struct ClientArray {
  std::string name, type;
  std::int64_t count = 0;
  std::uint32_t crc = 0;
};

// A file of another code: the constructor reads and checks the header lines; the arrays follow in the order of the
// header.
class ClientFile {
 public:
  ClientFile(const std::string& path, const std::string& kind) : path_(path), in_(path, std::ios::binary) {
    if (!in_) fail("cannot be opened");
    const std::string first = next_line();
    if (!first.starts_with("weir-capture ")) fail("is not a file of weir_capture.h");
    if (first != first_words(kind.c_str()))
      fail("expected '" + first_words(kind.c_str()) + "' in its first line, found '" + first + "'");
    for (std::string line = next_line(); !line.starts_with("end "); line = next_line()) {
      read_line(line);
      seen_ = text_.size();
      if (++lines_ > static_cast<int>(most_lines)) fail("its header does not end");
    }
    check_size();
  }

  std::uint32_t header_crc() const { return header_crc_; }
  std::string word(const std::string& key) const {
    for (const auto& [name, value] : words_)
      if (name == key) return value;
    fail("its header lacks '" + key + "'");
  }
  std::int64_t integer(const std::string& key, std::int64_t least, std::int64_t most) const {
    const std::string text = word(key);
    char* end = nullptr;
    const long long value = std::strtoll(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0' || value < least || value > most)
      fail(fmt::format("line '{} {}': expected an integer from {} to {}", key, text, least, most));
    return value;
  }
  double number(const std::string& key) const {
    const std::string text = word(key);
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0') fail("line '" + key + " " + text + "': expected a number");
    return value;
  }
  bool has_array(const std::string& name) const {
    return std::ranges::any_of(arrays_, [&](const ClientArray& a) { return a.name == name; });
  }
  // The next array, which must have this name, type and size.
  template <class T>
  std::vector<T> take(const std::string& name, const std::string& type, std::int64_t count) {
    if (next_ == arrays_.size()) fail("lacks the array '" + name + "'");
    const ClientArray& a = arrays_[next_++];
    if (a.name != name || a.type != type || a.count != count)
      fail(fmt::format("expected the array '{} {} {}', found '{} {} {}'", name, type, count, a.name, a.type, a.count));
    std::vector<T> values(static_cast<std::size_t>(count));
    const std::size_t bytes = values.size() * sizeof(T);
    in_.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(bytes));
    if (!in_) fail("is truncated");
    if (crc32({reinterpret_cast<const char*>(values.data()), bytes}) != a.crc)
      fail("is damaged: '" + name + "' was altered");
    return values;
  }
  std::vector<double> take_finite(const std::string& name, std::int64_t count) {
    std::vector<double> values = take<double>(name, "float64", count);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i])) fail(fmt::format("'{}': value {} (from 0) is not a finite number", name, i));
    return values;
  }
  [[noreturn]] void fail(const std::string& why) const { fail_to_read(path_, why); }

 private:
  std::string next_line() {
    std::string line(longest_line, '\0');
    in_.getline(line.data(), static_cast<std::streamsize>(line.size()));
    if (!in_ || in_.eof())
      fail(text_.empty() ? "is not a file of weir_capture.h" : "its header is truncated or damaged");
    line.resize(std::strlen(line.c_str()));
    text_ += line + "\n";
    return line;
  }
  void read_line(const std::string& line) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key != "array") {
      words_.emplace_back(key, line.size() > key.size() ? line.substr(key.size() + 1) : "");
      return;
    }
    ClientArray a;
    std::string crc;
    words >> a.name >> a.type >> a.count >> crc >> std::hex >> a.crc;
    if (!words || crc != "crc32" || a.count < 0)
      fail("expected 'array NAME TYPE COUNT crc32 SUM', found '" + line + "'");
    arrays_.push_back(a);
  }
  // Checks the checksum of the header and the sizes of the arrays against the size of the file.
  void check_size() {
    header_crc_ = crc32(std::string_view(text_).substr(0, seen_));
    if (text_.substr(seen_) != fmt::format("end crc32 {:08x}\n", header_crc_))
      fail("is damaged: its header was altered");
    const auto size = static_cast<std::int64_t>(fs::file_size(path_));
    std::int64_t expected = static_cast<std::int64_t>(text_.size());
    for (const ClientArray& a : arrays_) {
      const std::int64_t each = a.type == "int32" ? 4 : a.type == "int64" || a.type == "float64" ? 8 : 0;
      if (each == 0) fail("array '" + a.name + "': unknown type '" + a.type + "' (int32, int64, float64)");
      if (a.count > size / each) fail("is truncated");
      expected += each * a.count;
    }
    if (size < expected) fail(fmt::format("is truncated: {} bytes of {}", size, expected));
    if (size > expected) fail(fmt::format("has {} bytes, {} expected from its header", size, expected));
  }

  std::string path_, text_;
  std::ifstream in_;
  std::size_t seen_ = 0, next_ = 0;
  int lines_ = 0;
  std::uint32_t header_crc_ = 0;
  std::vector<std::pair<std::string, std::string>> words_;
  std::vector<ClientArray> arrays_;
};

struct ClientPattern {
  BlockCsrData rows;  // without values
  std::vector<double> places;
};

// row_start ascends from 0 to the number of entries; columns are in range.
void check_pattern(const ClientFile& file, const BlockCsrData& A) {
  const auto& start = A.row_start;
  if (start.front() != 0 || start.back() != static_cast<std::int64_t>(A.column.size()) ||
      !std::ranges::is_sorted(start))
    file.fail("'row_start' must ascend from 0 to the number of entries");
  for (int i = 0; i < A.rows(); ++i)
    for (auto e = start[i]; e < start[i + 1]; ++e)
      if (A.column[e] < 0 || A.column[e] >= A.rows())
        file.fail(fmt::format("row {} (from 0): column {} is not in 0 .. {}", i, A.column[e], A.rows() - 1));
}

ClientPattern read_pattern(const std::string& path) {
  ClientFile file(path, "pattern");
  if (fs::path(path).filename() != fmt::format("pattern_{:08x}.weir", file.header_crc()))
    file.fail(fmt::format("its pattern does not match its name (expected pattern_{:08x}.weir)", file.header_crc()));
  ClientPattern p;
  const std::int64_t rows = file.integer("rows", 1, 2147483647);
  const std::int64_t entries = file.integer("entries", 0, INT64_MAX / 8);
  p.rows.block = static_cast<int>(file.integer("block", 1, largest_block));
  p.rows.row_start = file.take<std::int64_t>("row_start", "int64", rows + 1);
  p.rows.column = file.take<int>("column", "int32", entries);
  check_pattern(file, p.rows);
  if (file.has_array("coordinates")) p.places = file.take_finite("coordinates", 3 * rows);
  return p;
}

// Sorts the columns within each row, with their values. Error if a column occurs twice.
void sort_rows(const std::string& path, BlockCsrData& A) {
  const std::int64_t area = std::int64_t{A.block} * A.block;
  std::vector<std::int64_t> order;
  std::vector<int> columns;
  std::vector<double> values;
  for (int i = 0; i < A.rows(); ++i) {
    const auto from = A.row_start[i], to = A.row_start[i + 1];
    const auto first = A.column.begin() + from, last = A.column.begin() + to;
    if (!std::is_sorted(first, last)) {
      order.resize(static_cast<std::size_t>(to - from));
      std::iota(order.begin(), order.end(), from);
      std::ranges::sort(order, [&](auto p, auto q) { return A.column[p] < A.column[q]; });
      columns.clear(), values.clear();
      for (const std::int64_t e : order) {
        columns.push_back(A.column[e]);
        values.insert(values.end(), A.value.begin() + e * area, A.value.begin() + (e + 1) * area);
      }
      std::copy(columns.begin(), columns.end(), first);
      std::copy(values.begin(), values.end(), A.value.begin() + from * area);
    }
    const auto twice = std::adjacent_find(first, last);
    if (twice != last) fail_to_read(path, fmt::format("row {} (from 0): column {} occurs twice", i, *twice));
  }
}

bool begins_so(const std::string& path, const char* kind) {
  if (!path.ends_with(".weir")) return false;
  std::ifstream file(path, std::ios::binary);
  std::string line;
  std::getline(file, line);
  return line.starts_with("weir-capture ") && line.ends_with(kind);
}

}  // namespace

bool is_client_capture(const std::string& path) { return begins_so(path, " system"); }
bool is_client_pattern(const std::string& path) { return begins_so(path, " pattern"); }

MatrixRecord record_of(BlockCsrData&& rows, double constant_part_of_b) {
  constexpr double compatible = 1e-9;  // codes that solve singular systems remove the mean of b
  rows.symmetric = is_symmetric(rows);
  rows.constant_null_space = has_constant_null_space(rows) && constant_part_of_b <= compatible;
  MatrixRecord r;
  r.kind = "block_csr";
  r.pattern.add("block", std::vector<std::int64_t>{rows.block});
  r.pattern.add("promises", std::vector<std::int64_t>{rows.symmetric, rows.constant_null_space});
  r.pattern.add("row_start", std::move(rows.row_start));
  r.pattern.add("column", std::vector<std::int64_t>(rows.column.begin(), rows.column.end()));
  r.pattern.add("lines", std::vector<std::int64_t>{});
  r.values.add("value", std::move(rows.value));
  return r;
}

void describe_unsolved(Capsule& c) {
  c.origin.version = weir_version();
  c.origin.dt = c.origin.cfl = NAN;
  c.reference.default_method = "gmres";
  c.reference.default_preconditioner = "block_ilu0";
  c.reference.name = "gmres+block_ilu0";
  c.reference.description = "gmres + block_ilu0, 1e-08 relative to |b| in the l2 norm, by default";
}

Capsule read_client_capture(const std::string& path) {
  ClientFile file(path, "system");
  const std::string pattern = file.word("pattern");
  const std::string beside = (fs::path(path).parent_path() / pattern).string();
  if (pattern.find('/') != std::string::npos || !fs::exists(beside))
    file.fail("its pattern " + pattern + " is missing in the same folder");
  ClientPattern p = read_pattern(beside);
  Capsule c;
  c.path = path;
  c.origin.system = file.word("name");
  constexpr const char* letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  if (c.origin.system.empty() || c.origin.system.find_first_not_of(letters) != std::string::npos)
    file.fail("line 'name " + c.origin.system + "': expected letters, digits, '_' and '-'");
  c.origin.step = file.integer("step", INT64_MIN, INT64_MAX);
  c.origin.solve = file.integer("solve", 0, INT64_MAX);
  c.origin.time = file.number("time");
  c.origin.miniapp = "another code";
  c.origin.name = fs::absolute(path).parent_path().filename().string();
  c.origin.trigger = "weir_capture";
  const std::int64_t size = std::int64_t{p.rows.rows()} * p.rows.block;
  p.rows.value =
      file.take_finite("values", static_cast<std::int64_t>(p.rows.column.size()) * p.rows.block * p.rows.block);
  c.b = file.take_finite("rhs", size);
  c.x0 = file.has_array("guess") ? file.take_finite("guess", size) : std::vector<double>(c.b.size(), 0.0);
  sort_rows(path, p.rows);
  for (int i = 0; i < p.rows.block; ++i) c.variables.push_back(fmt::format("{}{}", c.origin.system, i));
  if (p.rows.block == 1) c.variables = {c.origin.system};
  c.A = record_of(std::move(p.rows), constant_part(c.b));
  c.places = std::move(p.places);
  describe_unsolved(c);
  return c;
}

}  // namespace weir
