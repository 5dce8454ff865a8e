#include "solvers/matrix/io/generate.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"

namespace weir {
namespace {

// A hash of two integers in [-1, 1) (splitmix64; Steele, Lea & Flood 2014).
double random_value(std::int64_t i, std::int64_t j) {
  auto z = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(j) * 0xd1b54a32d192ed03u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-52 - 1;
}

}  // namespace

BlockCsrData banded_system(int rows, int half) {
  BlockCsrData d;
  d.row_start.reserve(static_cast<std::size_t>(rows) + 1);
  d.row_start.push_back(0);
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    std::size_t diagonal = 0;
    for (int j = std::max(0, i - half); j <= std::min<std::int64_t>(rows - 1, std::int64_t{i} + half); ++j) {
      if (i == j) diagonal = d.value.size();
      d.column.push_back(j);
      d.value.push_back(i == j ? 0 : random_value(i, j));
      sum += std::abs(d.value.back());
    }
    d.value[diagonal] = 1.01 * sum + (sum == 0);
    d.row_start.push_back(static_cast<std::int64_t>(d.column.size()));
  }
  return d;
}

bool is_generated(const std::string& name) { return name.starts_with("banded:"); }

BlockCsrData generated_system(const std::string& name) {
  int rows = 0, half = 2;
  const char *p = name.c_str() + std::min<std::size_t>(name.size(), 7), *end = name.c_str() + name.size();
  auto [at, error] = std::from_chars(p, end, rows);
  if (error == std::errc() && at != end && *at == ':') {
    const auto second = std::from_chars(at + 1, end, half);
    at = second.ptr;
    error = second.ec;
  }
  if (error != std::errc() || at != end || rows < 1 || half < 0 || half > 1000 || rows > 100000000)
    throw Error(Exit::usage,
                name + ": expected banded:ROWS or banded:ROWS:HALF, at most 1e8 rows and 1000 on each side");
  return banded_system(rows, half);
}

}  // namespace weir
