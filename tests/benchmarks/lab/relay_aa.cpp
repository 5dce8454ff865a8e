#include "tests/benchmarks/lab/relay_aa.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/benchmarks/lab/child_run.hpp"

namespace weir::bench {
namespace {

namespace fs = std::filesystem;

constexpr double slower_by = 0.05;

struct Branched {
  double control = 1, low = 1, high = 1, twin = 1, slow = 1, slow_low = 1, slow_high = 1, noise = 1, share = 0;
  std::string verdict_of_twin, verdict_of_slow, state_hash;
  bool holds_1() const { return low <= 1 && 1 <= high; }
};

nlohmann::json summary_of(const std::string& run) {
  std::ifstream file(run + "/run.json");
  return nlohmann::json::parse(file);
}

std::vector<std::string> branches_of(const Subject& s, int branches, int seed) {
  return {"relay.system=" + s.system,
          "relay.solvers=[\"twin\", \"slow\"]",
          "relay.every=1",
          "relay.steps=2",
          "relay.most_steps=2",
          fmt::format("relay.repeats={}", branches),
          "relay.budget=1e9",
          fmt::format("relay.seed={}", seed),
          "relay.twin.like_leader=true",
          "relay.slow.like_leader=true",
          fmt::format("relay.slow.slowed_by={}", slower_by)};
}

Branched read_branches(const std::string& run) {
  const auto summary = summary_of(run);
  const auto& solvers = summary["relay"]["solvers"];
  Branched b;
  b.control = solvers[1]["closed"];
  b.low = solvers[1]["closed_interval"][0];
  b.high = solvers[1]["closed_interval"][1];
  b.twin = solvers[2]["closed"];
  b.slow = solvers[3]["closed"];
  b.slow_low = solvers[3]["closed_interval"][0];
  b.slow_high = solvers[3]["closed_interval"][1];
  b.verdict_of_twin = solvers[2]["verdict"];
  b.verdict_of_slow = solvers[3]["verdict"];
  b.noise = summary["relay"]["noise"];
  b.share = summary["timings"]["instrumentation"]["relay"].get<double>() / summary["loop_seconds"].get<double>();
  b.state_hash = summary["state_hash"];
  return b;
}

double median_by(const std::vector<Branched>& all, double Branched::*what) {
  std::vector<double> values;
  for (const Branched& b : all) values.push_back(b.*what);
  return median_of(std::move(values));
}

int measure_branches(const Subject& s, int branches, const LabOptions& options) {
  const int count = options.quick ? 1 : 100, steps = options.quick ? 8 : s.steps;
  if (options.quick) branches = 1;
  const fs::path folder = fs::absolute(options.folder);
  fs::create_directories(folder);
  const std::string run = (folder / ("relay_" + s.name)).string();
  std::ofstream csv(run + ".csv");
  csv << "repeat,control,low,high,noise,twin,verdict_of_twin,slow,slow_low,slow_high,verdict_of_slow,share_of_the_"
         "loop\n";
  ChildSignals signals;
  own_solves(signals, s, steps, {}, run);
  if (signals.caught()) return 128 + signals.caught();
  const std::string untouched = summary_of(run)["state_hash"];
  std::vector<Branched> all;
  int holds = 0, twins = 0, found = 0, touched = 0;
  for (int k = 1; k <= count; ++k) {
    own_solves(signals, s, steps, branches_of(s, branches, k), run);
    if (signals.caught()) return 128 + signals.caught();
    const Branched b = read_branches(run);
    csv << fmt::format("{},{:.5f},{:.5f},{:.5f},{:.5f},{:.5f},{},{:.5f},{:.5f},{:.5f},{},{:.4f}\n", k, b.control, b.low,
                       b.high, b.noise, b.twin, b.verdict_of_twin, b.slow, b.slow_low, b.slow_high, b.verdict_of_slow,
                       b.share)
        << std::flush;
    holds += b.holds_1();
    twins += b.verdict_of_twin == "undecided" || b.verdict_of_twin == "no difference";
    found += b.verdict_of_slow == "slower";
    touched += b.state_hash != untouched;
    all.push_back(b);
  }
  fmt::print("{}: {} repeats, whole runs of {} steps, before each {} branches\n", s.path, count, steps, branches);
  fmt::print("  reference against itself: interval holds 1 in {} of {} (95 % expected); ratio median {:.4f}\n", holds,
             count, median_by(all, &Branched::control));
  fmt::print("  its twin: neither faster nor slower in {} of {}; ratio median {:.4f}\n", twins, count,
             median_by(all, &Branched::twin));
  fmt::print("  {:g} % slower: found in {} of {}; ratio median {:.4f}; noise median {:.1f} %\n", 100 * slower_by, found,
             count, median_by(all, &Branched::slow), 100 * (median_by(all, &Branched::noise) - 1));
  fmt::print("  branches took {:.0f} % of the loop; the run's state was another in {}\n",
             100 * median_by(all, &Branched::share), touched);
  return touched == 0 ? 0 : 1;
}

}  // namespace

int relay_cavity(const LabOptions& options) { return measure_branches(cavity_subject(), 1, options); }
// A few long steps make most of its sum: more branches, for intervals as wide.
int relay_aerofoil(const LabOptions& options) { return measure_branches(aerofoil_subject(), 6, options); }
int relay_cylinder(const LabOptions& options) { return measure_branches(cylinder_subject(), 1, options); }

}  // namespace weir::bench
