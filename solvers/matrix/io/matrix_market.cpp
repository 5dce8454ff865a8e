#include "solvers/matrix/io/matrix_market.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>

#include "base/at.hpp"
#include "base/error.hpp"
#include "solvers/matrix/block/cut_blocks.hpp"
#include "solvers/matrix/io/file_aside.hpp"
#include "solvers/matrix/io/market_numbers.hpp"
#include "solvers/matrix/io/petsc_binary.hpp"

namespace weir {
namespace {

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

Banner read_banner(MarketNumbers& in) {
  const std::vector<std::string> words = lower_words(in.line());
  if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix")
    in.fail(in.begin(),
            "not a Matrix Market file: the first line must be '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'");
  Banner b;
  if (words[2] != "coordinate" && words[2] != "array")
    in.fail(in.begin(), "unknown format '" + words[2] + "'; expected coordinate or array");
  b.coordinate = words[2] == "coordinate";
  if (words[3] != "real" && words[3] != "integer" && words[3] != "pattern" && words[3] != "double")
    in.fail(in.begin(), "field '" + words[3] + "' is not supported; expected real, integer or pattern");
  b.pattern = words[3] == "pattern";
  if (words[4] != "general" && words[4] != "symmetric" && words[4] != "skew-symmetric")
    in.fail(in.begin(), "symmetry '" + words[4] + "' is not supported; expected general, symmetric or skew-symmetric");
  b.symmetry = words[4] == "symmetric" ? Symmetry::symmetric
               : words[4] == "general" ? Symmetry::general
                                       : Symmetry::skew;
  if (!b.coordinate && b.pattern) in.fail(in.begin(), "field 'pattern' requires the format coordinate");
  return b;
}

struct Header {
  int rows = 0;
  std::int64_t count = 0;  // entries in the file
  Banner banner;
};

Header read_header(MarketNumbers& in) {
  Header h;
  h.banner = read_banner(in);
  if (!h.banner.coordinate) in.fail(in.begin(), "expected a matrix in coordinate format; this file is an array");
  in.skip_comments();
  const char* sizes = in.position();
  const std::int64_t rows = in.integer("the number of rows"), columns = in.integer("the number of columns");
  h.count = in.integer("the number of entries");
  if (rows != columns)
    in.fail(sizes, "the matrix is not square: " + std::to_string(rows) + " x " + std::to_string(columns));
  if (rows < 1 || rows > 2147483647) in.fail(sizes, "the number of rows must lie between 1 and 2147483647");
  if (h.count < 0) in.fail(sizes, "the number of entries cannot be negative");
  const std::int64_t least = h.banner.pattern ? 4 : 6;  // bytes of "1 1\n", "1 1 1\n"
  if (h.count > in.left() / least + 1)
    in.fail(sizes,
            "truncated: " + std::to_string(h.count) + " entries are announced, but the file is too small for them");
  if (rows > 64 * (h.count + 1) + 1024) in.fail(sizes, "almost all of the " + std::to_string(rows) + " rows are empty");
  h.rows = static_cast<int>(rows);
  return h;
}

// First pass: checks and counts indices, skips values. Returns row_start.
std::vector<std::int64_t> count_rows(MarketNumbers& in, const Header& h) {
  const bool mirrored = h.banner.symmetry != Symmetry::general;
  std::vector<std::int64_t> start(at(h.rows) + 1, 0);
  for (std::int64_t k = 0; k < h.count; ++k) {
    const std::int64_t i = in.integer("a row number"), j = in.integer("a column number");
    if (i < 1 || i > h.rows) in.fail("row " + std::to_string(i) + " is not in 1 .. " + std::to_string(h.rows));
    if (j < 1 || j > h.rows) in.fail("column " + std::to_string(j) + " is not in 1 .. " + std::to_string(h.rows));
    if (mirrored && j > i) in.fail("a symmetric file may contain the lower triangle only");
    if (h.banner.symmetry == Symmetry::skew && i == j)
      in.fail("a skew-symmetric file must not contain diagonal entries");
    if (!h.banner.pattern) in.skip("a value");
    ++start[i];
    if (mirrored && i != j) ++start[j];
  }
  if (!in.at_end()) in.fail("more entries than the " + std::to_string(h.count) + "");
  for (int i = 0; i < h.rows; ++i) start[i + 1] += start[i];
  return start;
}

// Second pass: every entry goes to its place in its row, so memory holds only the text and the matrix.
void fill_rows(MarketNumbers& in, const Header& h, BlockCsrData& d, MarketFaults* faults) {
  const Symmetry symmetry = h.banner.symmetry;
  std::vector<std::int64_t> next(d.row_start.begin(), d.row_start.end() - 1);
  const auto put = [&](int row, int column, double value) {
    const std::int64_t e = next[row]++;
    d.column[e] = column;
    d.value[e] = value;
  };
  for (std::int64_t k = 0; k < h.count; ++k) {
    const int i = static_cast<int>(in.integer("a row number")) - 1,
              j = static_cast<int>(in.integer("a column number")) - 1;
    const double value = h.banner.pattern ? 1 : in.real("a value", !faults);
    if (faults && !std::isfinite(value) && faults->not_finite++ == 0) {
      faults->not_finite_row = i;
      faults->not_finite_column = j;
    }
    put(i, j, value);
    if (symmetry != Symmetry::general && i != j) put(j, i, symmetry == Symmetry::skew ? -value : value);
  }
}

// Sorts columns within each row; most files are sorted already.
void sort_rows(BlockCsrData& d, const std::string& name, MarketFaults* faults) {
  std::vector<std::pair<int, double>> row;
  for (int i = 0; i < d.rows(); ++i) {
    const auto from = at(d.row_start[i]), to = at(d.row_start[i + 1]);
    const auto first = d.column.begin() + d.row_start[i], last = d.column.begin() + d.row_start[i + 1];
    if (!std::is_sorted(first, last)) {
      row.clear();
      for (auto e = from; e < to; ++e) row.emplace_back(d.column[e], d.value[e]);
      std::ranges::sort(row, [](const auto& a, const auto& b) { return a.first < b.first; });
      for (auto e = from; e < to; ++e) std::tie(d.column[e], d.value[e]) = row[e - from];
    }
    const auto twice = std::adjacent_find(first, last);
    if (twice == last) continue;
    if (faults && faults->repeated_row < 0) {
      faults->repeated_row = i;
      faults->repeated_column = *twice;
    }
    if (!faults)
      throw Error(Exit::usage,
                  name + ": duplicate entry (" + std::to_string(i + 1) + ", " + std::to_string(*twice + 1) + ")");
  }
}

void add_up_repeated(BlockCsrData& d) {
  std::int64_t to = 0;
  for (int i = 0; i < d.rows(); ++i) {
    const std::int64_t end = d.row_start[i + 1], start = to;
    for (auto e = d.row_start[i]; e < end; ++e) {
      if (to > start && d.column[to - 1] == d.column[e]) {
        d.value[to - 1] += d.value[e];
        continue;
      }
      d.column[to] = d.column[e];
      d.value[to++] = d.value[e];
    }
    d.row_start[i] = start;
  }
  d.row_start.back() = to;
  d.column.resize(at(to));
  d.value.resize(at(to));
}

BlockCsrData read_scalar_rows(std::string_view text, const std::string& name, MarketFaults* faults) {
  MarketNumbers in(text, name);
  const Header header = read_header(in);
  const char* entries = in.position();
  BlockCsrData d;
  d.symmetric = header.banner.symmetry == Symmetry::symmetric;
  d.row_start = count_rows(in, header);
  d.column.resize(at(d.row_start.back()));
  d.value.resize(at(d.row_start.back()));
  in.go_to(entries);
  fill_rows(in, header, d, faults);
  sort_rows(d, name, faults);
  if (faults && faults->repeated_row >= 0) {
    const auto before = static_cast<std::int64_t>(d.column.size());
    add_up_repeated(d);
    faults->repeated = before - d.row_start.back();
  }
  return d;
}

}  // namespace

BlockCsrData parse_matrix_market(std::string_view text, const std::string& name, int block, MarketFaults* faults) {
  BlockCsrData scalar = read_scalar_rows(text, name, faults);
  if (block > 0 && scalar.rows() % block != 0)
    throw Error(Exit::usage, name + ": " + std::to_string(scalar.rows()) + " rows cannot be cut into blocks of " +
                                 std::to_string(block));
  const int B = block > 0 ? block : detect_block(scalar);
  return cut_into_blocks(std::move(scalar), B);
}

std::vector<double> parse_vector_market(std::string_view text, const std::string& name, std::int64_t size) {
  MarketNumbers in(text, name);
  const Banner banner = read_banner(in);
  in.skip_comments();
  const char* sizes = in.position();
  const std::int64_t rows = in.integer("the number of rows"), columns = in.integer("the number of columns");
  const std::int64_t count = banner.coordinate ? in.integer("the number of entries") : rows;
  if (rows != size || columns != 1)
    in.fail(sizes, "expected a vector of " + std::to_string(size) + " values; this file contains " +
                       std::to_string(rows) + " x " + std::to_string(columns));
  if (count < 0) in.fail(sizes, "the number of entries cannot be negative");
  std::vector<double> v(at(size), 0);
  std::vector<char> is_given(at(size), 0);
  for (std::int64_t k = 0; k < count; ++k) {
    std::int64_t i = k + 1;
    if (banner.coordinate) {
      i = in.integer("a row number");
      if (i < 1 || i > rows) in.fail("row " + std::to_string(i) + " is not in 1 .. " + std::to_string(rows));
      if (in.integer("a column number") != 1) in.fail("the column number of a vector entry must be 1");
    }
    if (std::exchange(is_given[i - 1], 1)) in.fail("duplicate entry (" + std::to_string(i) + ", 1)");
    v[i - 1] = banner.pattern ? 1 : in.real("a value");
  }
  if (!in.at_end()) in.fail("more values than announced");
  return v;
}

namespace {
// The faults of a PETSc file itself, such as another byte order, are reported first.
void refuse_petsc(const std::string& path) {
  if (!is_petsc_binary(path)) return;
  petsc_objects(path);
  throw Error(Exit::usage, path + ": a PETSc binary file; weir import converts it to a captured system");
}
}  // namespace

BlockCsrData read_matrix_market(const std::string& path, int block, MarketFaults* faults) {
  refuse_petsc(path);
  return parse_matrix_market(MarketText(path).view(), path, block, faults);
}

std::vector<double> read_vector_market(const std::string& path, std::int64_t size) {
  refuse_petsc(path);
  return parse_vector_market(MarketText(path).view(), path, size);
}

void write_matrix_market(const std::string& path, const BlockCsrData& d) {
  FileAside file(path);
  const int B = d.block;
  std::fprintf(file.get(), "%%%%MatrixMarket matrix coordinate real general\n%% blocks of %d\n%lld %lld %zu\n", B,
               static_cast<long long>(d.rows()) * B, static_cast<long long>(d.rows()) * B, d.value.size());
  for (int i = 0; i < d.rows(); ++i)
    for (int u = 0; u < B; ++u)
      for (auto e = d.row_start[i]; e < d.row_start[i + 1]; ++e)
        for (int v = 0; v < B; ++v)
          std::fprintf(file.get(), "%lld %lld %.17g\n", static_cast<long long>(i) * B + u + 1,
                       static_cast<long long>(d.column[e]) * B + v + 1, d.value[(e * B + u) * B + v]);
  file.finish();
}

void write_vector_market(const std::string& path, std::span<const double> vector) {
  FileAside file(path);
  std::fprintf(file.get(), "%%%%MatrixMarket matrix array real general\n%zu 1\n", vector.size());
  for (const double v : vector) std::fprintf(file.get(), "%.17g\n", v);
  file.finish();
}

}  // namespace weir
