#include <chrono>
#include <cstdio>
#include <functional>

#include "solvers/parallel/halo.hpp"
#include "tests/benchmarks/scaling/scaling.hpp"
#include "tests/benchmarks/scaling/table_of_ranks.hpp"

namespace weir::bench {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Of one call, the slowest rank's mean; the best of three series.
double seconds_of(const Communicator& ranks, int repeats, const std::function<void()>& f) {
  double best = 1e300;
  f();
  for (int series = 0; series < 3; ++series) {
    ranks.barrier();
    const double start = seconds_now();
    for (int i = 0; i < repeats; ++i) f();
    best = std::min(best, ranks.max((seconds_now() - start) / repeats));
  }
  return best;
}

// A slab of three layers with a ghost layer below and above.
HaloPattern slab_pattern(const Communicator& ranks, int plane) {
  std::vector<GhostRequest> ghosts;
  const int below = ranks.rank() - 1, above = ranks.rank() + 1;
  for (int i = 0; i < plane && below >= 0; ++i) ghosts.push_back({i, below, 3 * plane + i});
  for (int i = 0; i < plane && above < ranks.size(); ++i) ghosts.push_back({4 * plane + i, above, plane + i});
  return make_halo_pattern(ranks, ghosts);
}

template <class Space>
void vector_rows(const Communicator& ranks, const ScalingOptions& o, TableOfRanks& table) {
  struct Size {
    const char* name;
    int values;
  };
  for (const Size size : {Size{"128 x 128", 128 * 128}, Size{"256 x 256", 256 * 256}, Size{"256 x 512", 256 * 512}}) {
    if (o.quick && size.values > 128 * 128) continue;
    const HaloPattern pattern = slab_pattern(ranks, size.values);
    const Array<double, Space> field(std::vector<double>(5 * static_cast<std::size_t>(size.values), 1.0));
    for (const HaloStrategy strategy : all_halo_strategies)
      for (const DevicePath path : {DevicePath::staged, DevicePath::probe}) {
        if (std::is_same_v<Space, Host> && path == DevicePath::staged) continue;
        Halo<Space> halo(ranks, pattern, 1, {strategy, path});
        const HaloFields fields = HaloFields::blocks(field.data(), 1);
        const double s = seconds_of(ranks, o.quick ? 3 : 100, [&] { halo.exchange(fields); });
        const std::string way = halo.path().substr(0, halo.path().find(':'));
        char text[256];
        std::snprintf(text, sizeof text, "%d,%s,%s,%s,%s,%d,%.3f", ranks.size(), Space::name, size.name,
                      to_string(strategy), way.c_str(), 8 * size.values, 1e6 * s);
        table.row(text);
        if (ranks.is_root())
          std::printf("  %-7s %-10s %-14s %-28s %10.1f us  %6.2f GB/s a side\n", Space::name, size.name,
                      to_string(strategy), way.c_str(), 1e6 * s, 8e-9 * size.values / s);
      }
  }
}

}  // namespace

int bench_halo(Communicator& ranks, const ScalingOptions& o) {
  if (ranks.is_root()) std::printf("vector communication between %d slabs (%s)\n", ranks.size(), mpi_library().c_str());
  TableOfRanks vectors(o.folder + "/halo_vector.csv", "ranks,space,plane,strategy,path,bytes,microseconds",
                       ranks.size());
  vector_rows<Host>(ranks, o, vectors);
  if (backend::device_available()) vector_rows<Device>(ranks, o, vectors);
  TableOfRanks scalars(o.folder + "/halo_scalar.csv", "ranks,reduction,values,microseconds", ranks.size());
  if (ranks.is_root()) std::printf("scalar communication\n");
  const Reduction before = ranks.reduction();
  for (const int count : {1, 2, 30})
    for (const Reduction reduction : all_reductions) {
      ranks.use(reduction);
      std::vector<double> values(static_cast<std::size_t>(count), 1.0);
      const double s = seconds_of(ranks, o.quick ? 10 : 1000, [&] { ranks.sum(values); });
      char text[128];
      std::snprintf(text, sizeof text, "%d,%s,%d,%.3f", ranks.size(), to_string(reduction), count, 1e6 * s);
      scalars.row(text);
      if (ranks.is_root()) std::printf("  %2d values  %-12s %10.2f us\n", count, to_string(reduction), 1e6 * s);
    }
  ranks.use(before);
  if (ranks.is_root()) {
    vectors.write();
    scalars.write();
    std::printf("written: %s/halo_vector.csv, halo_scalar.csv\n", o.folder.c_str());
  }
  return 0;
}

}  // namespace weir::bench
