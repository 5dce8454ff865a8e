// Published profiles: the CSV files of postproc/reference, each with its source and its traps in the comment lines on
// top.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/table.hpp"

namespace weir {

// The file and the numbers in it, and their conversion to the units of the flow:
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

// Throws Error(Exit::usage) if the file is missing or has no such column or row.
Profile read_published(const Comparison& comparison);
// The same for a case that is being read: errors of the data file are reported at the line of `table` that names it.
Profile read_or_fail(const Table& table, const Comparison& comparison);

// A file of postproc/reference/; a path with '/' is taken as it is.
std::string reference_path(const std::string& file);

// The largest and the mean |computed - published|; NaN if any of them is NaN.
double max_difference(std::span<const double> computed, std::span<const double> published);
double mean_difference(std::span<const double> computed, std::span<const double> published);

}  // namespace weir
