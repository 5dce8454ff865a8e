// Results of a run, described next to the code that computes them, for `weir list quantities` and the reference pages.
#pragma once
#include <span>
#include <vector>

namespace weir {

// A quantity of run.json, or columns of history.csv. NAME, SCALAR in a name stand for a table of the case file.
struct Quantity {
  const char *name, *unit, *miniapps, *meaning;  // unit: in units of the case; empty: dimensionless
};
using QuantityTable = std::span<const Quantity>;

// All that a miniapp reports.
struct Results {
  std::vector<Quantity> quantities, columns;

  void add(QuantityTable more_quantities, QuantityTable more_columns = {}) {
    for (const Quantity& q : more_quantities) quantities.push_back(q);
    for (const Quantity& c : more_columns) columns.push_back(c);
  }
};

}  // namespace weir
