// Quantities of the scalars of a flow without a body, for [check] and history.csv (scalar_quantity_table). The centre
// and the variance of a puff are meaningful until part of it crosses a periodic side.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "miniapps/driver/quantity.hpp"
#include "miniapps/driver/system_defaults.hpp"
#include "miniapps/structured/case.hpp"
#include "miniapps/structured/layout.hpp"
#include "miniapps/structured/metrics.hpp"
#include "miniapps/structured/whole/whole_flow.hpp"
#include "postproc/run/run.hpp"

namespace weir {

QuantityTable scalar_quantity_table();

// The integral of a scalar over this rank's cells.
template <class Space>
double scalar_total(const Flow<Space>& flow, const Metrics& m, std::size_t scalar);

// Quantities of the scalars in the whole box.
std::map<std::string, double> scalar_quantities(const IncompressibleCase& c, const WholeFlow& flow, double time);

// Appends the names of the above, and the columns NAME_total of history.csv.
void add_scalar_quantities(const IncompressibleCase& c, RunHeader& header);

// The linear systems of a step in their order.
std::vector<SystemDefaults> with_scalars(const SystemDefaults& velocity, const IncompressibleCase& c,
                                         SystemDefaults (*scalar)(const ScalarCase&), const SystemDefaults& pressure);

}  // namespace weir
