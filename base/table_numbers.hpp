// Numbers of a table with a range: what lies outside is refused with file and line.
#pragma once
#include <cmath>
#include <string>

#include "base/table.hpp"

namespace weir {

inline double positive(const Table& t, const char* key, double fallback) {
  const double value = t.get<double>(key, fallback);
  if (!(value > 0) || !std::isfinite(value)) t.fail(key, "'" + std::string(key) + "' must be positive");
  return value;
}

inline double not_negative(const Table& t, const char* key, double fallback) {
  const double value = t.get<double>(key, fallback);
  if (!(value >= 0) || !std::isfinite(value)) t.fail(key, "'" + std::string(key) + "' must not be negative");
  return value;
}

// Between 0 and 1, the ends left out.
inline double fraction(const Table& t, const char* key, double fallback) {
  const double value = positive(t, key, fallback);
  if (value >= 1) t.fail(key, "'" + std::string(key) + "' lies between 0 and 1");
  return value;
}

}  // namespace weir
