#include "solvers/matrix/matrix_market.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/error.hpp"

namespace weir {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// The numbers of a file, one after the other; lines are counted only where a message needs one.
class Numbers {
 public:
  Numbers(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  [[noreturn]] void fail(const std::string& message) const { fail(at_, message); }
  [[noreturn]] void fail(std::size_t where, const std::string& message) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(where), '\n');
    throw Error(Exit::usage, name_ + ":" + std::to_string(line) + ": " + message);
  }

  std::string_view line() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view l = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    if (!l.empty() && l.back() == '\r') l.remove_suffix(1);
    return l;
  }
  void skip_comments() {
    for (;;) {
      skip_blanks();
      if (at_ == text_.size() || text_[at_] != '%') return;
      line();
    }
  }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  std::size_t position() {
    skip_blanks();
    return at_;
  }
  std::size_t left() const { return text_.size() - at_; }

  std::int64_t integer(const char* what) {
    std::int64_t value = 0;
    take(value, what);
    return value;
  }
  double real(const char* what) {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '+') ++at_;
    const std::size_t from = at_;
    double value = 0;
    take(value, what);
    if (!std::isfinite(value)) fail(from, std::string(what) + " is not a finite number");
    return value;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  template <class T>
  void take(T& value, const char* what) {
    skip_blanks();
    const char *from = text_.data() + at_, *end = text_.data() + text_.size();
    if (from == end) fail(std::string("truncated: the file ends where ") + what + " was expected");
    auto [stop, error] = std::from_chars(from, end, value);
    if constexpr (std::is_same_v<T, double>)
      if (error == std::errc::result_out_of_range) {  // too small is 0, too large is refused as not finite
        value = std::strtod(std::string(from, stop).c_str(), nullptr);
        error = std::errc();
      }
    if (error != std::errc() || (stop != end && !is_blank(*stop))) {
      std::string found(from, std::min(end, std::find_if(from, end, is_blank)));
      fail(std::string("expected ") + what + ", found '" + found.substr(0, 40) + "'");
    }
    at_ += static_cast<std::size_t>(stop - from);
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

enum class Symmetry { general, symmetric, skew };

struct Banner {
  bool coordinate = true, pattern = false;
  Symmetry symmetry = Symmetry::general;
};

std::vector<std::string> lower_words(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : line) {
    if (c == ' ' || c == '\t') {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    words.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return words;
}

Banner read_banner(Numbers& in) {
  const std::vector<std::string> words = lower_words(in.line());
  if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix")
    in.fail(0, "not a Matrix Market file: the first line must be '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'");
  Banner b;
  if (words[2] != "coordinate" && words[2] != "array")
    in.fail(0, "unknown format '" + words[2] + "' (coordinate, array)");
  b.coordinate = words[2] == "coordinate";
  if (words[3] != "real" && words[3] != "integer" && words[3] != "pattern" && words[3] != "double")
    in.fail(0, "field '" + words[3] + "' cannot be read (real, integer, pattern)");
  b.pattern = words[3] == "pattern";
  if (words[4] != "general" && words[4] != "symmetric" && words[4] != "skew-symmetric")
    in.fail(0, "symmetry '" + words[4] + "' cannot be read (general, symmetric, skew-symmetric)");
  b.symmetry = words[4] == "symmetric" ? Symmetry::symmetric
               : words[4] == "general" ? Symmetry::general
                                       : Symmetry::skew;
  if (!b.coordinate && b.pattern) in.fail(0, "an array has no pattern");
  return b;
}

struct Entry {
  int row, column;
  double value;
};

struct Entries {
  int rows = 0;
  Symmetry symmetry = Symmetry::general;
  std::vector<Entry> all;
};

// Every entry of a coordinate file, the mirrored ones too.
Entries read_entries(Numbers& in) {
  const Banner banner = read_banner(in);
  if (!banner.coordinate) in.fail(0, "a matrix is wanted in coordinate format; this file is an array");
  in.skip_comments();
  const std::size_t sizes = in.position();
  const std::int64_t rows = in.integer("the number of rows"), columns = in.integer("the number of columns"),
                     count = in.integer("the number of entries");
  if (rows != columns)
    in.fail(sizes, "the matrix is not square: " + std::to_string(rows) + " x " + std::to_string(columns));
  if (rows < 1 || rows > 2147483647) in.fail(sizes, "the number of rows must lie between 1 and 2147483647");
  if (count < 0) in.fail(sizes, "the number of entries cannot be negative");
  const std::int64_t least = banner.pattern ? 4 : 6;  // bytes of "1 1\n", "1 1 1\n"
  if (count > static_cast<std::int64_t>(in.left()) / least + 1)
    in.fail(sizes, "truncated: " + std::to_string(count) + " entries are announced, the file cannot hold so many");
  if (rows > 64 * (count + 1) + 1024) in.fail(sizes, "almost all of the " + std::to_string(rows) + " rows are empty");
  Entries e;
  e.rows = static_cast<int>(rows);
  e.symmetry = banner.symmetry;
  const bool mirrored = banner.symmetry != Symmetry::general;
  e.all.reserve(at(mirrored ? 2 * count : count));
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t i = in.integer("a row number"), j = in.integer("a column number");
    if (i < 1 || i > rows) in.fail("row " + std::to_string(i) + " is not in 1 .. " + std::to_string(rows));
    if (j < 1 || j > rows) in.fail("column " + std::to_string(j) + " is not in 1 .. " + std::to_string(rows));
    const double value = banner.pattern ? 1 : in.real("a value");
    const int row = static_cast<int>(i - 1), column = static_cast<int>(j - 1);
    if (mirrored && column > row) in.fail("a symmetric file holds the lower triangle alone");
    e.all.push_back({row, column, value});
    if (mirrored && row != column) e.all.push_back({column, row, banner.symmetry == Symmetry::skew ? -value : value});
  }
  if (!in.at_end()) in.fail("more entries than the " + std::to_string(count) + " that are announced");
  return e;
}

// Scalar rows, columns ascending.
BlockCsrData sorted_rows(Entries&& e, const std::string& name) {
  BlockCsrData d;
  d.symmetric = e.symmetry == Symmetry::symmetric;
  d.row_start.assign(at(e.rows) + 1, 0);
  for (const Entry& x : e.all) ++d.row_start[at(x.row) + 1];
  for (int i = 0; i < e.rows; ++i) d.row_start[at(i) + 1] += d.row_start[at(i)];
  std::vector<std::pair<int, double>> sorted(e.all.size());
  std::vector<std::int64_t> next(d.row_start.begin(), d.row_start.end() - 1);
  for (const Entry& x : e.all) sorted[at(next[at(x.row)]++)] = {x.column, x.value};
  e.all = {};
  d.column.reserve(sorted.size());
  d.value.reserve(sorted.size());
  for (int i = 0; i < e.rows; ++i) {
    const auto from = sorted.begin() + d.row_start[at(i)], to = sorted.begin() + d.row_start[at(i) + 1];
    std::sort(from, to, [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto x = from; x != to; ++x) {
      if (x != from && x->first == (x - 1)->first)
        throw Error(Exit::usage, name + ": entry (" + std::to_string(i + 1) + ", " + std::to_string(x->first + 1) +
                                     ") is given twice");
      d.column.push_back(x->first);
      d.value.push_back(x->second);
    }
  }
  return d;
}

// Calls f(block row, block column) for every block of size B that holds an entry, row by row, columns ascending.
template <class F>
void for_blocks(const BlockCsrData& d, int B, const F& f) {
  std::vector<int> columns;
  for (int i = 0; i < d.rows() / B; ++i) {
    columns.clear();
    for (auto e = d.row_start[at(i * B)]; e < d.row_start[at((i + 1) * B)]; ++e) columns.push_back(d.column[at(e)] / B);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (const int j : columns) f(i, j);
  }
}

int detect_block(const BlockCsrData& d) {
  for (int B = 8; B > 1; --B) {
    if (d.rows() % B != 0) continue;
    std::int64_t blocks = 0;
    for_blocks(d, B, [&](int, int) { ++blocks; });
    if (static_cast<double>(d.column.size()) >= 0.9 * static_cast<double>(blocks) * B * B) return B;
  }
  return 1;
}

BlockCsrData in_blocks(BlockCsrData&& d, int B) {
  if (B == 1) return std::move(d);
  BlockCsrData b;
  b.block = B;
  b.symmetric = d.symmetric;
  b.row_start.assign(1, 0);
  for_blocks(d, B, [&](int i, int j) {
    b.row_start.resize(at(i) + 2, b.row_start.back());
    b.column.push_back(j);
    b.row_start.back() = static_cast<std::int64_t>(b.column.size());
  });
  b.row_start.resize(at(d.rows() / B) + 1, b.row_start.back());
  b.value.assign(b.column.size() * at(B) * at(B), 0);
  for (int row = 0; row < d.rows(); ++row) {
    const auto from = b.column.begin() + b.row_start[at(row / B)], to = b.column.begin() + b.row_start[at(row / B) + 1];
    for (auto e = d.row_start[at(row)]; e < d.row_start[at(row) + 1]; ++e) {
      const int column = d.column[at(e)];
      const auto k = std::lower_bound(from, to, column / B) - b.column.begin();
      b.value[at((k * B + row % B) * B + column % B)] = d.value[at(e)];
    }
  }
  return b;
}

}  // namespace

BlockCsrData parse_matrix_market(std::string_view text, const std::string& name, int block) {
  Numbers in(text, name);
  BlockCsrData scalar = sorted_rows(read_entries(in), name);
  if (block > 0 && scalar.rows() % block != 0)
    throw Error(Exit::usage, name + ": " + std::to_string(scalar.rows()) + " rows cannot be cut into blocks of " +
                                 std::to_string(block));
  const int B = block > 0 ? block : detect_block(scalar);
  return in_blocks(std::move(scalar), B);
}

std::vector<double> parse_vector_market(std::string_view text, const std::string& name, std::int64_t size) {
  Numbers in(text, name);
  const Banner banner = read_banner(in);
  in.skip_comments();
  const std::size_t sizes = in.position();
  const std::int64_t rows = in.integer("the number of rows"), columns = in.integer("the number of columns");
  const std::int64_t count = banner.coordinate ? in.integer("the number of entries") : rows;
  if (rows != size || columns != 1)
    in.fail(sizes, "a vector of " + std::to_string(size) + " values is wanted; this file holds " +
                       std::to_string(rows) + " x " + std::to_string(columns));
  std::vector<double> v(at(size), 0);
  for (std::int64_t k = 0; k < count; ++k) {
    std::int64_t i = k + 1;
    if (banner.coordinate) {
      i = in.integer("a row number");
      if (i < 1 || i > rows) in.fail("row " + std::to_string(i) + " is not in 1 .. " + std::to_string(rows));
      if (in.integer("a column number") != 1) in.fail("a vector has one column");
    }
    v[at(i - 1)] = banner.pattern ? 1 : in.real("a value");
  }
  if (!in.at_end()) in.fail("more values than announced");
  return v;
}

BlockCsrData read_matrix_market(const std::string& path, int block) {
  return parse_matrix_market(market_text(path), path, block);
}

std::vector<double> read_vector_market(const std::string& path, std::int64_t size) {
  return parse_vector_market(market_text(path), path, size);
}

}  // namespace weir
