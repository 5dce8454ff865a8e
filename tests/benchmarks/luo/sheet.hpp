// A table on its way out: printed as it comes, kept as CSV, drawn by plots.py.
#pragma once
#include <string>
#include <vector>

#include "tests/benchmarks/bench.hpp"

namespace weir::bench {

class Sheet {
 public:
  // folder/name.csv; the folder is made. Throws Error(file_io).
  Sheet(const std::string& folder, const std::string& name, const std::vector<std::string>& columns);
  void row(const std::vector<std::string>& cells) { table_.row(cells); }
  // Draws folder/name.png; without matplotlib says so and does nothing else.
  void draw();

 private:
  std::string stem_, kind_;
  Table table_;
};

}  // namespace weir::bench
