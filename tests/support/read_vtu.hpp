// Reads a .vtu with raw appended data: every array as doubles. The test's own reading of the format.
#pragma once
#include <algorithm>
#include <cstdint>

#include "tests/support/read_vtr.hpp"

namespace weir::testing {

struct Vtu {
  std::map<std::string, std::vector<double>> array;  // "Points", "connectivity", "offsets", "types" and the fields
  std::map<std::string, std::string> type;
  std::map<std::string, int> components;
};

template <class T>
std::vector<double> values_at(const char* block) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, block, sizeof bytes);
  std::vector<T> values(bytes / sizeof(T));
  std::memcpy(values.data(), block + sizeof bytes, bytes);
  return {values.begin(), values.end()};
}

inline Vtu read_vtu(const std::string& path) {
  const std::string text = read_file(path);
  const auto appended = text.find("<AppendedData");
  if (appended == text.npos) throw std::runtime_error("no appended data in " + path);
  const char* data = text.data() + text.find('_', appended) + 1;
  Vtu result;
  for (auto at = text.find("<DataArray"); at < appended; at = text.find("<DataArray", at + 1)) {
    const std::string element = text.substr(at, text.find('>', at) - at);
    const std::string name = xml_attribute(element, "Name", ""), type = xml_attribute(element, "type", "");
    const char* block = data + std::stoull(xml_attribute(element, "offset", ""));
    result.type[name] = type;
    result.components[name] = std::stoi(xml_attribute(element, "NumberOfComponents", "1"));
    result.array[name] = type == "Float64"   ? values_at<double>(block)
                         : type == "Float32" ? values_at<float>(block)
                         : type == "Int32"   ? values_at<std::int32_t>(block)
                                             : values_at<std::uint8_t>(block);
  }
  return result;
}

}  // namespace weir::testing
