#include "tests/benchmarks/lab/aa.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "miniapps/study/shadow/statistics.hpp"
#include "postproc/run/csv.hpp"
#include "tests/benchmarks/lab/child_run.hpp"

namespace weir::bench {
namespace {

namespace fs = std::filesystem;

constexpr double planted = 0.05;
enum Kind { shadowed, sometimes, plain, plain_again, kinds };
constexpr const char* words[kinds] = {"shadowed", "sometimes", "plain", "plain_again"};

struct Repeat {
  Interval control;  // of the reference solver against itself
  std::string twin, slow;
  double control_ratio = 1, twin_ratio = 1, slow_ratio = 1, noise = 1;
  std::array<double, kinds> own_ms{};  // median of the reference solver's own solves, setup in it, of each Kind
};

// The keys that ask for shadows; none of the runs without.
std::vector<std::string> shadows_of(const Subject& s, Kind kind, std::uint64_t seed) {
  if (kind != shadowed && kind != sometimes) return {};
  return {"shadow.system=" + s.system,
          "shadow.solvers=[\"twin\", \"slow\"]",
          kind == shadowed ? "shadow.every=1" : "shadow.every=10",
          fmt::format("shadow.seed={}", seed),
          "shadow.repeats=3",
          "shadow.twin.like_leader=true",
          "shadow.slow.like_leader=true",
          fmt::format("shadow.slow.slowed_by={}", planted)};
}

void read_verdicts(const std::string& run, Repeat& r) {
  const Csv summary(run + "/shadow_summary.csv");
  if (summary.rows() != 4) throw Error(Exit::internal, run + ": shadow_summary.csv is not that of this benchmark");
  r.control = {summary.number(1, "sums_low"), summary.number(1, "sums_high")};
  r.control_ratio = summary.number(1, "sums_ratio");
  r.noise = summary.number(1, "noise");
  r.twin = summary.text(2, "verdict");
  r.twin_ratio = summary.number(2, "sums_ratio");
  r.slow = summary.text(3, "verdict");
  r.slow_ratio = summary.number(3, "sums_ratio");
}

double median_over(const std::vector<Repeat>& repeats, double (*value)(const Repeat&)) {
  std::vector<double> values;
  for (const Repeat& r : repeats) values.push_back(value(r));
  return median_of(std::move(values));
}

void tell(const Subject& s, const std::vector<Repeat>& repeats, int steps) {
  int control = 0, twin = 0, slow = 0;
  double farthest = 1;
  for (const Repeat& r : repeats) {
    control += r.control.low <= 1 && 1 <= r.control.high;
    twin += r.twin == to_string(Verdict::no_difference) || r.twin == to_string(Verdict::undecided);
    slow += r.slow == to_string(Verdict::slower);
    if (std::abs(std::log(r.control_ratio)) > std::abs(std::log(farthest))) farthest = r.control_ratio;
  }
  const std::size_t n = repeats.size();
  fmt::print("{}: {} repeats, whole runs of {} steps, shadows at each, three solves per system\n", s.path, n, steps);
  fmt::print(
      "  reference solver against itself: interval holds 1 in {} of {} (95 % expected); ratio median {:.4f}, farthest "
      "{:.4f}\n",
      control, n, median_over(repeats, [](const Repeat& r) { return r.control_ratio; }), farthest);
  fmt::print("  its twin: no difference or undecided in {} of {}; ratio median {:.4f}\n", twin, n,
             median_over(repeats, [](const Repeat& r) { return r.twin_ratio; }));
  fmt::print("  {:g} % slower: found in {} of {}; ratio median {:.4f}; noise median {:.1f} %\n", 100 * planted, slow, n,
             median_over(repeats, [](const Repeat& r) { return r.slow_ratio; }),
             100 * (median_over(repeats, [](const Repeat& r) { return r.noise; }) - 1));
  const auto own = [&](Kind kind) {
    std::vector<double> ms;
    for (const Repeat& r : repeats) ms.push_back(r.own_ms[kind]);
    return ms;
  };
  const std::vector<double> without = own(plain);
  const PairedComparison chance = compare_pairs(own(plain_again), without, 1);
  fmt::print("  reference solver's own solves, medians of a run, over those without shadows:\n");
  const auto line = [&](const char* what, const PairedComparison& p, const std::string& verdict) {
    fmt::print("    {:<22} {:.4f} ({:.4f} .. {:.4f})  {}\n", what, p.of_sums, p.of_sums_interval.low,
               p.of_sums_interval.high, verdict);
  };
  line("without again", chance, "the noise floor");
  for (const auto& [what, kind] :
       {std::pair{"shadows every 10 steps", sometimes}, std::pair{"at every step", shadowed}}) {
    const PairedComparison effect = compare_pairs(own(kind), without, 1);
    line(what, effect, to_string(verdict_of(effect, noise_floor_of(chance))));
  }
}

int measure(const Subject& subject, const LabOptions& options) {
  const int count = options.quick ? 2 : 100, steps = options.quick ? 8 : subject.steps;
  const fs::path folder = fs::absolute(options.folder), runs = folder / ("lab_" + subject.name);
  fs::create_directories(runs);
  std::ofstream csv(folder / ("lab_" + subject.name + ".csv"));
  csv << "repeat,control_ratio,control_low,control_high,noise,twin,twin_ratio,slow,slow_ratio,own_ms_shadowed,"
         "own_ms_sometimes,own_ms_plain,own_ms_plain_again\n";
  std::mt19937_64 random(1);
  std::vector<Repeat> repeats;
  ChildSignals signals;
  for (int k = 0; k < count; ++k) {
    std::array<Kind, kinds> order{shadowed, sometimes, plain, plain_again};
    std::shuffle(order.begin(), order.end(), random);
    Repeat r;
    for (const Kind kind : order) {
      const std::string run = (runs / words[kind]).string();
      const std::vector<double> own =
          own_solves(signals, subject, steps, shadows_of(subject, kind, random() % 1000000), run);
      if (signals.caught()) return 128 + signals.caught();
      r.own_ms[kind] = median_of(own);
      if (kind == shadowed) read_verdicts(run, r);
    }
    csv << fmt::format("{},{:.5f},{:.5f},{:.5f},{:.5f},{},{:.5f},{},{:.5f},{:.6g},{:.6g},{:.6g},{:.6g}\n", k + 1,
                       r.control_ratio, r.control.low, r.control.high, r.noise, r.twin, r.twin_ratio, r.slow,
                       r.slow_ratio, r.own_ms[shadowed], r.own_ms[sometimes], r.own_ms[plain], r.own_ms[plain_again])
        << std::flush;
    repeats.push_back(std::move(r));
  }
  tell(subject, repeats, steps);
  return 0;
}

}  // namespace

int lab_cavity(const LabOptions& options) { return measure(cavity_subject(), options); }
int lab_aerofoil(const LabOptions& options) { return measure(aerofoil_subject(), options); }
int lab_cylinder(const LabOptions& options) { return measure(cylinder_subject(), options); }

}  // namespace weir::bench
