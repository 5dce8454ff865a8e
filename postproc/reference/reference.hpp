// Published profiles: the CSV files of postproc/reference, each with its source and its traps in the comment lines on
// top.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/table.hpp"

namespace weir {

// Which numbers of which file, and how they become the flow's:
// position = shift + scale * printed coordinate;  value = value_scale * printed value.
struct Comparison {
  std::string file, coordinate, column;
  std::vector<std::pair<std::string, std::string>> rows;  // only rows whose column (first) has this entry (second)
  int nodes = 0;  // > 0: printed coordinates are roundings of k / nodes, and the values belong to these nodes
  double scale = 1, shift = 0, value_scale = 1;
};

Options comparison_options();
Comparison read_comparison(const Table& table);

struct Profile {
  std::vector<double> position, value;
};

// Throws Error(Exit::usage) where the file is missing, has no such column or no such row.
Profile read_published(const Comparison& comparison);
// The same for a case that is being read: an error of the data's file is one of the line of `table` that names it.
Profile read_or_fail(const Table& table, const Comparison& comparison);

// A file of postproc/reference/; a path with '/' is taken as it is.
std::string reference_path(const std::string& file);

// The largest |computed - published|; NaN where any of them is.
double max_difference(std::span<const double> computed, std::span<const double> published);

}  // namespace weir
