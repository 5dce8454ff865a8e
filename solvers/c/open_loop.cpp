#include "solvers/c/open_loop.hpp"

#include <algorithm>

#include "base/option.hpp"

namespace weir::c {

namespace {

constexpr Option keys[] = {
    {"solvers", Option::texts, "[]", "names of the candidates, defined by [select.NAME], in addition to the default"},
    {"every", Option::integer, "20", "fewest solves between two races", "[1, inf)"},
    {"margin", Option::number, "0.02", "part by which a solver must be faster than the current one", "[0, 1]"},
    {"budget", Option::number, "0.02", "part of the time of the client's solves that races may take, after the first",
     "[0, inf)"}};

}  // namespace

OpenLoop::OpenLoop(const Table& select) {
  const Table t = select.described_by(keys);
  names_ = t.get<std::vector<std::string>>("solvers", {});
  if (names_.empty()) t.fail("solvers", "[select] names no solvers");
  for (const std::string& name : names_) {
    const bool is_key = std::any_of(std::begin(keys), std::end(keys), [&](const Option& k) { return name == k.name; });
    if (is_key || !select.is_table(name)) t.fail("solvers", "[select." + name + "] is missing");
    if (std::ranges::count(names_, name) > 1) t.fail("solvers", "'" + name + "' is named twice");
  }
  every_ = t.get<int>("every");
  margin_ = t.get<double>("margin");
  budget_ = t.get<double>("budget");
}

bool OpenLoop::is_race_due() const { return since_race_ + 1 >= every_ && race_seconds_ <= budget_ * own_seconds_; }

void OpenLoop::add_solve(double seconds) {
  ++solves_;
  ++since_race_;
  own_seconds_ += seconds;
}

double OpenLoop::cost(const Lap& lap) const {
  const double setups_of_a_solve = solves_ > 0 ? static_cast<double>(setups_) / static_cast<double>(solves_) : 1;
  return lap.solve + lap.setup * setups_of_a_solve;
}

void OpenLoop::decide(const std::vector<Lap>& laps) {
  since_race_ = 0;
  std::size_t best = current_;
  for (std::size_t k = 0; k < laps.size(); ++k) {
    if (k != current_) race_seconds_ += laps[k].setup + laps[k].solve;
    if (laps[k].converged && (!laps[best].converged || cost(laps[k]) < cost(laps[best]))) best = k;
  }
  if (!laps[best].converged) return;
  const bool is_faster = cost(laps[best]) < (1 - margin_) * cost(laps[current_]);
  if (is_faster || !laps[current_].converged) current_ = best;
}

}  // namespace weir::c
