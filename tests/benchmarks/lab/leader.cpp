#include "tests/benchmarks/lab/leader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/error.hpp"
#include "miniapps/study/shadow/statistics.hpp"
#include "tests/benchmarks/lab/child_run.hpp"

namespace weir::bench {
namespace {

namespace fs = std::filesystem;

constexpr double most_seconds = 80;  // of a case, after its fewest turns
constexpr int fewest_turns = 12;

enum Kind { plain, plain_again, second, shadowed, kinds };
constexpr const char* words[kinds] = {"without", "without again", "at every second step", "at every step"};
constexpr const char* folders[kinds] = {"plain", "plain_again", "second", "shadowed"};

constexpr int every[kinds] = {0, 0, 2, 1};

// Candidates that use more memory than the reference solver: its doubles, and a method that keeps many vectors.
Subject cavity() {
  Subject s = cavity_subject();
  s.steps = 300;
  s.set.insert(s.set.end(),
               {"shadow.system=pressure", "shadow.solvers=[\"twin\", \"many\"]", "shadow.twin.like_leader=true",
                "shadow.many.method=gmres", "shadow.many.preconditioner={ type = \"multigrid\" }"});
  return s;
}
// With the candidates of the case.
Subject aerofoil() { return {"aerofoil", "study/aerofoil_flow.toml", "flow", 40, {"roofline.every=0"}}; }

struct Ratios {
  double all = 1;  // the median over the solves of time / time of the same solve without shadows
  double after =
      1;  // that of the solves after an even step, over that of the others: where a run's memory lies falls out
};

Ratios ratios_of(const std::vector<double>& ms, const std::vector<double>& without) {
  if (ms.size() != without.size())
    throw Error(Exit::internal, fmt::format("{} solves with shadows, {} without", ms.size(), without.size()));
  std::vector<double> all, after_odd, after_even;  // the first is that of step 1
  for (std::size_t i = 0; i < ms.size(); ++i) {
    all.push_back(ms[i] / without[i]);
    (i % 2 == 0 ? after_even : after_odd).push_back(all.back());
  }
  return {median_of(std::move(all)), median_of(std::move(after_even)) / median_of(std::move(after_odd))};
}

struct Turns {
  std::array<std::vector<double>, kinds> all;
  std::vector<double> after, after_by_chance;
};

PairedComparison to_without(const std::vector<double>& ratios) {
  return compare_pairs(ratios, std::vector<double>(ratios.size(), 1.0), 1);
}

void tell_line(const std::string& what, const PairedComparison& c, const std::string& verdict) {
  fmt::print("  {:<36} {:.4f} ({:.4f} .. {:.4f})  {}\n", what, c.of_sums, c.of_sums_interval.low,
             c.of_sums_interval.high, verdict);
}

void tell(const Subject& s, const Turns& turns, std::vector<double> without_ms, int steps) {
  fmt::print(
      "{}: {} turns, runs of {} steps; reference solver's own solves, without shadows {:.4g} ms; with, over without:\n",
      s.path, turns.after.size(), steps, median_of(std::move(without_ms)));
  const PairedComparison chance = to_without(turns.all[plain_again]);
  tell_line(words[plain_again], chance, "the noise floor");
  for (const Kind kind : {second, shadowed}) {
    const PairedComparison c = to_without(turns.all[kind]);
    tell_line(words[kind], c, to_string(verdict_of(c, noise_floor_of(chance))));
  }
  const PairedComparison none = to_without(turns.after_by_chance), after = to_without(turns.after);
  tell_line("after even steps: without", none, "the noise floor");
  tell_line("after even steps: shadows at those", after, to_string(verdict_of(after, noise_floor_of(none))));
}

int measure(const Subject& subject, const LabOptions& options) {
  const int steps = options.quick ? 8 : subject.steps;
  const fs::path folder = fs::absolute(options.folder), runs = folder / ("lab_leader_" + subject.name);
  fs::create_directories(runs);
  std::ofstream csv(folder / ("lab_leader_" + subject.name + ".csv"));
  csv << "turn,without_again,at_every_second_step,at_every_step,after_shadows,after_by_chance\n";
  std::mt19937_64 random(1);
  Turns turns;
  std::vector<double> without_ms;
  ChildSignals signals;
  const auto start = std::chrono::steady_clock::now();
  const auto goes_on = [&](int turn) {
    if (options.quick) return turn < 2;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    return turn < fewest_turns || spent.count() < most_seconds;
  };
  for (int turn = 0; goes_on(turn); ++turn) {
    std::array<Kind, kinds> order{plain, plain_again, second, shadowed};
    std::shuffle(order.begin(), order.end(), random);
    std::array<std::vector<double>, kinds> ms;
    for (const Kind kind : order) {
      ms[kind] = own_solves(signals, subject, steps, {fmt::format("shadow.every={}", every[kind])},
                            (runs / folders[kind]).string());
      if (signals.caught()) return 128 + signals.caught();
    }
    std::array<Ratios, kinds> ratios;
    for (int kind = 0; kind < kinds; ++kind) {
      ratios[kind] = ratios_of(ms[kind], ms[plain]);
      turns.all[kind].push_back(ratios[kind].all);
    }
    turns.after.push_back(ratios[second].after);
    turns.after_by_chance.push_back(ratios[plain_again].after);
    without_ms.insert(without_ms.end(), ms[plain].begin(), ms[plain].end());
    csv << fmt::format("{},{:.5f},{:.5f},{:.5f},{:.5f},{:.5f}\n", turn + 1, ratios[plain_again].all, ratios[second].all,
                       ratios[shadowed].all, ratios[second].after, ratios[plain_again].after)
        << std::flush;
  }
  tell(subject, turns, std::move(without_ms), steps);
  return 0;
}

}  // namespace

int lab_leader_cavity(const LabOptions& options) { return measure(cavity(), options); }
int lab_leader_aerofoil(const LabOptions& options) {
  Subject subject = aerofoil();
  if (options.quick) subject.set.push_back("mesh.generator.refinement=0.3");
  return measure(subject, options);
}

}  // namespace weir::bench
