#include "mesh/structured/read_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace weir {
namespace {

constexpr const char* needed_by_refined = "depends on type: required for refined";
constexpr Option stretching_keys[] = {
    {"type", Option::text, "uniform",
     "distribution of the cell sizes; uniform: equal cells; tanh: small cells at both ends; tanh_low: small cells at "
     "the lower end; tanh_high: small cells at the upper end; refined: cells of size `width` between `from` and `to`, "
     "growing by a constant ratio towards both ends of the box",
     "uniform | tanh | tanh_low | tanh_high | refined"},
    {"factor", Option::number, "depends on type: 2, uniform 0",
     "strength of the stretching (tanh types); 0: equal cells", "[0, 6]"},
    {"from", Option::number, needed_by_refined, "lower end of the interval with small cells", "", "length"},
    {"to", Option::number, needed_by_refined, "upper end of the interval with small cells", "", "length"},
    {"width", Option::number, needed_by_refined, "size of the small cells", "(0, inf)", "length"}};

constexpr Option grid_keys[] = {
    {"cells", Option::integers, Option::required,
     "number of cells in each direction, [nx, ny] (2D) or [nx, ny, nz] (3D)", "[1, inf)"},
    {"length", Option::numbers, "[1, 1, 1]", "edge lengths of the computational box", "(0, inf)", "length"},
    {"origin", Option::numbers, "[0, 0, 0]", "corner of the box with the smallest coordinates", "(-inf, inf)",
     "length"},
    {"stretching", Option::tables, "",
     "distribution of the cell sizes in each direction: a type, or a table { type = ... }", "", "", "",
     stretching_options}};

std::vector<double> read_numbers(const Table& t, const char* key, double fallback) {
  auto v = t.get<std::vector<double>>(key);
  if (v.size() != 2 && v.size() != 3) t.fail(key, std::string(key) + " must have one number per direction");
  v.resize(3, fallback);
  return v;
}

Stretching read_stretching(const Table& t) {
  Stretching s;
  s.type = t.get<std::string>("type");
  if (s.type == "refined") {
    s.from = t.get<double>("from");
    s.to = t.get<double>("to");
    s.width = t.get<double>("width");
    return s;
  }
  s.factor = t.get<double>("factor", s.type == "uniform" ? 0.0 : 2.0);
  return s;
}

}  // namespace

Options grid_options() { return grid_keys; }
Options stretching_options() { return stretching_keys; }

std::vector<Stretching> read_stretchings(const Table& t) {
  std::vector<Stretching> stretching;
  for (const Table& one : t.tables("stretching")) stretching.push_back(read_stretching(one));
  if (stretching.size() > 3) t.fail("stretching", "'stretching' must have at most one entry per direction");
  return stretching;
}

GridLine read_line(const Table& t, int cells, double origin, double length, const Stretching& stretching) {
  GridLine line;
  try {
    line = make_grid_line(cells, origin, length, stretching);
  } catch (const std::invalid_argument& e) {
    t.fail("stretching", e.what());
  }
  constexpr double smallest = 1e-60, largest = 1e60;  // so that volumes, areas and their inverses are finite
  const auto [least, most] = std::minmax_element(line.width.begin(), line.width.end());
  if (!(*least > smallest && *most < largest && std::abs(origin) < largest))
    t.fail("length", "'length', 'origin', 'cells' and 'stretching' give cell widths outside of 1e-60 .. 1e60");
  return line;
}

Grid read_grid(const Table& options) {
  const Table t = options.described_by(grid_keys);
  auto cells = t.get<std::vector<int>>("cells");
  if (cells.size() != 2 && cells.size() != 3) t.fail("cells", "cells must be [nx, ny] or [nx, ny, nz]");
  cells.resize(3, 1);
  double count = 1;
  for (int n : cells) count *= n + 2.0;
  if (count > std::numeric_limits<int>::max()) t.fail("cells", "too many cells for a 32-bit index");
  const auto length = read_numbers(t, "length", 1), origin = read_numbers(t, "origin", 0);
  auto stretching = read_stretchings(t);
  stretching.resize(3);
  Grid grid;
  for (std::size_t d = 0; d < 3; ++d) grid.line[d] = read_line(t, cells[d], origin[d], length[d], stretching[d]);
  return grid;
}

}  // namespace weir
