// Reads a .vtr with raw appended data. The test's own reading of the format.
#pragma once
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace weir::testing {

struct Vtr {
  std::map<std::string, std::vector<float>> cell_data;
  std::map<std::string, int> components;
  std::map<std::string, std::vector<double>> doubles;  // x, y, z, TimeValue
};

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string xml_attribute(const std::string& element, const std::string& name, const std::string& fallback) {
  const auto at = element.find(" " + name + "=\"");
  if (at == element.npos) return fallback;
  const auto start = at + name.size() + 3;
  return element.substr(start, element.find('"', start) - start);
}

inline Vtr read_vtr(const std::string& path) {
  const std::string text = read_file(path);
  const auto appended = text.find("<AppendedData");
  if (appended == text.npos) throw std::runtime_error("no appended data in " + path);
  const char* data = text.data() + text.find('_', appended) + 1;
  Vtr result;
  for (auto at = text.find("<DataArray"); at < appended; at = text.find("<DataArray", at + 1)) {
    const std::string element = text.substr(at, text.find('>', at) - at);
    const std::string name = xml_attribute(element, "Name", "");
    const char* block = data + std::stoull(xml_attribute(element, "offset", ""));
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, block, sizeof bytes);
    if (block + sizeof bytes + bytes > text.data() + text.size()) throw std::runtime_error("short array " + name);
    if (xml_attribute(element, "type", "") == "Float32") {
      auto& values = result.cell_data[name];
      values.resize(bytes / sizeof(float));
      std::memcpy(values.data(), block + sizeof bytes, bytes);
      result.components[name] = std::stoi(xml_attribute(element, "NumberOfComponents", "1"));
    } else {
      auto& values = result.doubles[name];
      values.resize(bytes / sizeof(double));
      std::memcpy(values.data(), block + sizeof bytes, bytes);
    }
  }
  return result;
}

}  // namespace weir::testing
