#include "solvers/parallel/rank_options.hpp"

namespace weir {

HaloOptions read_halo_options(const Table& t) {
  HaloOptions o;
  const std::string halo = t.choice("halo", {"naive", "pairs", "persistent", "neighbourhood"}, "persistent");
  for (const HaloStrategy s : all_halo_strategies)
    if (halo == to_string(s)) o.strategy = s;
  const std::string path = t.choice("device_path", {"probe", "staged", "direct"}, "probe");
  o.path = path == "probe" ? DevicePath::probe : path == "staged" ? DevicePath::staged : DevicePath::direct;
  return o;
}

Reduction read_reduction(const Table& t) {
  const std::string reduction = t.choice("reduction", {"gather", "tree", "allreduce", "nonblocking"}, "allreduce");
  for (const Reduction r : all_reductions)
    if (reduction == to_string(r)) return r;
  return Reduction::allreduce;
}

}  // namespace weir
