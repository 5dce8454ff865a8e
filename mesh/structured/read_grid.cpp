#include "mesh/structured/read_grid.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace weir {
namespace {

std::vector<double> read_numbers(const Table& t, const char* key, std::size_t n, double fallback) {
  auto v = t.get<std::vector<double>>(key, std::vector<double>(n, fallback));
  if (v.size() == 2 && n == 3) v.push_back(fallback);
  if (v.size() != 3 && v.size() != n) t.fail(key, std::string(key) + " must have one number a direction");
  v.resize(3, fallback);
  for (double x : v)
    if (!std::isfinite(x)) t.fail(key, std::string(key) + " must be finite");
  return v;
}

Stretching read_stretching(const Table& t) {
  Stretching s;
  s.type = t.choice("type", {"uniform", "tanh", "tanh_low", "tanh_high", "refined"}, "uniform");
  if (s.type == "refined") {
    s.from = t.get<double>("from");
    s.to = t.get<double>("to");
    s.width = t.get<double>("width");
    return s;
  }
  s.factor = t.get<double>("factor", s.type == "uniform" ? 0.0 : 2.0);
  if (!(s.factor >= 0) || s.factor > 6) t.fail("factor", "a stretching factor lies between 0 (uniform) and 6");
  return s;
}

}  // namespace

std::vector<Stretching> read_stretchings(const Table& t) {
  std::vector<Stretching> stretching;
  for (const Table& one : t.tables("stretching")) stretching.push_back(read_stretching(one));
  if (stretching.size() > 3) t.fail("stretching", "stretching has at most one entry a direction");
  return stretching;
}

Grid read_grid(const Table& t) {
  auto cells = t.get<std::vector<int>>("cells");
  if (cells.size() != 2 && cells.size() != 3) t.fail("cells", "cells must be [nx, ny] or [nx, ny, nz]");
  cells.resize(3, 1);
  double count = 1;
  for (int n : cells) {
    if (n < 1) t.fail("cells", "a grid needs at least one cell in each direction");
    count *= n + 2.0;
  }
  if (count > std::numeric_limits<int>::max()) t.fail("cells", "more cells than a 32-bit index can name");
  const auto length = read_numbers(t, "length", 3, 1.0), origin = read_numbers(t, "origin", 3, 0.0);
  auto stretching = read_stretchings(t);
  stretching.resize(3);
  Grid grid;
  for (std::size_t d = 0; d < 3; ++d) {
    if (!(length[d] > 0)) t.fail("length", "lengths must be positive");
    try {
      grid.line[d] = make_grid_line(cells[d], origin[d], length[d], stretching[d]);
    } catch (const std::invalid_argument& e) {
      t.fail("stretching", e.what());
    }
  }
  return grid;
}

}  // namespace weir
