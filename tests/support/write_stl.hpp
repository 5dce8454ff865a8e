// STL files as bytes: coordinates are floats in a binary one, and read back exactly from an ASCII one.
#pragma once
#include <charconv>
#include <cstdint>
#include <string>

#include "mesh/body/surface.hpp"

namespace weir {
inline void append_stl(std::string& text, const char* word, const Vec3& x) {
  text += word;
  for (const double value : x) {
    char number[40];
    const auto end = std::to_chars(number, number + sizeof number, value).ptr;  // the shortest that reads back exactly
    text += ' ';
    text.append(number, end);
  }
  text += '\n';
}

inline Vec3 unit_normal(const Surface& s, int e) {
  const Vec3 a = area_vector(s, e);
  const double l = length(a);
  return l > 0 ? (1 / l) * a : Vec3{};
}

inline std::string stl_ascii(const Surface& s, const std::string& name) {
  std::string text = "solid " + name + "\n";
  for (int e = 0; e < s.elements(); ++e) {
    append_stl(text, "  facet normal", unit_normal(s, e));
    text += "    outer loop\n";
    for (const int n : s.element[e]) append_stl(text, "      vertex", s.node[n]);
    text += "    endloop\n  endfacet\n";
  }
  return text + "endsolid " + name + "\n";
}

inline std::string stl_binary(const Surface& s) {
  std::string bytes(80, ' ');
  const auto count = static_cast<std::uint32_t>(s.elements());
  bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
  for (int e = 0; e < s.elements(); ++e) {
    float value[12];
    const Vec3 n = unit_normal(s, e);
    for (std::size_t d = 0; d < 3; ++d) {
      value[d] = static_cast<float>(n[d]);
      for (std::size_t k = 0; k < 3; ++k) value[3 + 3 * k + d] = static_cast<float>(s.node[s.element[e][k]][d]);
    }
    bytes.append(reinterpret_cast<const char*>(value), sizeof value);
    bytes.append(2, '\0');
  }
  return bytes;
}

}  // namespace weir
