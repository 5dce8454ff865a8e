// What a run reports, described where it is computed; `weir list quantities` and the reference pages are made of these.
#pragma once
#include <span>

namespace weir {

// A quantity of run.json, or columns of history.csv. NAME, SCALAR in a name stand for a table of the case file.
struct Quantity {
  const char *name, *unit, *miniapps, *meaning;  // unit: in units of the case; empty: dimensionless
};
using Quantities = std::span<const Quantity>;

}  // namespace weir
