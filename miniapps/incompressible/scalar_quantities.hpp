// What a run reports of its scalars beside the surfaces' fluxes, for [check] and history.csv. Without a body in the flow.
//   NAME_total, NAME_min, NAME_max      of [scalar.NAME]: integral over the box, extremes of the cells
//   NAME_centre_x, NAME_variance_x      (y, z) its first moment and its second central one, over the total: where a puff is and how
//                                       wide, as long as nothing of it has crossed a period
//   error_NAME_l2, error_NAME_max       where `exact` is given, of the temperature too: root mean square over the box, largest
#pragma once
#include <map>
#include <string>
#include <vector>

#include "miniapps/driver/quantity.hpp"
#include "miniapps/driver/system_defaults.hpp"
#include "miniapps/structured/case.hpp"
#include "miniapps/structured/layout.hpp"
#include "miniapps/structured/metrics.hpp"
#include "postproc/run/run.hpp"

namespace weir {

QuantityTable scalar_quantity_table();

// The integral of a scalar over this rank's cells.
template <class Space>
double scalar_total(const Flow<Space>& flow, const Metrics& m, std::size_t scalar);

// Of the whole box.
std::map<std::string, double> scalar_quantities(const IncompressibleCase& c, const Flow<Host>& flow, double time);

// The names of the above, and the columns NAME_total of history.csv, behind those there are.
void add_scalar_quantities(const IncompressibleCase& c, RunHeader& header);

// The linear systems of a step in their order.
std::vector<SystemDefaults> with_scalars(const SystemDefaults& velocity, const IncompressibleCase& c,
                                         SystemDefaults (*scalar)(const ScalarCase&), const SystemDefaults& pressure);

}  // namespace weir
