// Reads a CSV file of a run directory. Cells contain no commas; in files with quoted text, only the columns before it.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace weir {

// A cell with commas or quotes in it.
inline std::string csv_quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, "\"");
  return "\"" + text + "\"";
}

// A CSV file of a run, by column; an empty cell is not a number.
class Csv {
 public:
  explicit Csv(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line)) return;
    names_ = split(line);
    while (std::getline(file, line)) rows_.push_back(split(line));
  }
  std::size_t rows() const { return rows_.size(); }
  bool has(const std::string& name) const { return std::ranges::find(names_, name) != names_.end(); }
  std::string text(std::size_t row, const std::string& name) const {
    const auto column = static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
    return column < rows_[row].size() ? rows_[row][column] : "";
  }
  double number(std::size_t row, const std::string& name) const {
    const std::string cell = text(row, name);
    return cell.empty() ? NAN : std::strtod(cell.c_str(), nullptr);
  }
  double or_zero(std::size_t row, const std::string& name) const {
    const double v = number(row, name);
    return std::isfinite(v) ? v : 0;
  }

 private:
  static std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> cells;
    std::stringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
    return cells;
  }
  std::vector<std::string> names_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace weir
