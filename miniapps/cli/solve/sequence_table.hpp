// The last table of `weir solve SEQUENCE`.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/print.hpp"
#include "solvers/krylov/krylov.hpp"

namespace weir {

// Sums over the systems of a sequence, by solver in the order of the first system.
class SequenceTable {
 public:
  // setup: null if the solver refused the system.
  void add(const std::string& name, const SetupInfo* setup, const SolveResult& result, double relative_residual) {
    auto at = std::ranges::find_if(lines_, [&](const Line& l) { return l.name == name; });
    if (at == lines_.end()) at = lines_.insert(lines_.end(), Line{name});
    ++at->systems;
    if (!setup) return;
    at->solved += result.converged();
    at->iterations += result.iterations;
    at->setup += setup->seconds;
    at->solve += result.solve_seconds;
    at->worst = std::max(at->worst, relative_residual);
  }
  void print() const {
    if (lines_.empty() || lines_.front().systems < 2) return;
    std::size_t width = 6;
    for (const Line& l : lines_) width = std::max(width, l.name.size());
    say("all {} systems\n{:<{}} {:>10} {:>10} {:>10} {:>10} {:>14}\n", lines_.front().systems, "solver", width,
        "setup ms", "solve ms", "iterations", "solved", "|b-Ax|/|b| <=");
    for (const Line& l : lines_)
      say("{:<{}} {:>10.3f} {:>10.3f} {:>10} {:>10} {:>14.3e}\n", l.name, width, 1e3 * l.setup, 1e3 * l.solve,
          l.iterations, fmt::format("{}/{}", l.solved, l.systems), l.worst);
  }

 private:
  struct Line {
    std::string name;
    int systems = 0, solved = 0, iterations = 0;
    double setup = 0, solve = 0, worst = 0;
  };
  std::vector<Line> lines_;
};

}  // namespace weir
