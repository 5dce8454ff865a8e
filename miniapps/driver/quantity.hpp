// Results of a run, described next to the code that computes them, for `weir list quantities` and the reference pages.
#pragma once
#include <span>
#include <vector>

namespace weir {

// A quantity of run.json, or columns of history.csv. NAME, SCALAR in a name stand for a table of the case file.
struct Quantity {
  const char *name, *unit, *meaning;  // unit: in units of the case; empty: dimensionless
  const char* miniapps = nullptr;     // null: those of the table
};
using QuantityTable = std::span<const Quantity>;

// All that a miniapp reports.
struct Results {
  std::vector<Quantity> quantities, columns;

  void add(const char* miniapps, QuantityTable more_quantities, QuantityTable more_columns = {}) {
    const auto append = [miniapps](std::vector<Quantity>& to, QuantityTable more) {
      for (const Quantity& q : more) to.push_back({q.name, q.unit, q.meaning, q.miniapps ? q.miniapps : miniapps});
    };
    append(quantities, more_quantities);
    append(columns, more_columns);
  }
};

}  // namespace weir
