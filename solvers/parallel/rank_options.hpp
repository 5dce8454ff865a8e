// How ranks talk, from the table [ranks] of a case:
//   halo = "naive" | "pairs" | "persistent" | "neighbourhood", device_path = "probe" | "staged" | "direct",
//   reduction = "gather" | "tree" | "allreduce" | "nonblocking"
#pragma once
#include "base/table.hpp"
#include "solvers/parallel/halo.hpp"

namespace weir {

HaloOptions read_halo_options(const Table& ranks);
Reduction read_reduction(const Table& ranks);

}  // namespace weir
