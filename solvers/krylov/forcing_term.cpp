#include "solvers/krylov/forcing_term.hpp"

#include <algorithm>
#include <cmath>

#include "base/table_node.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

constexpr const char* eisenstat_walker = "eisenstat_walker";
constexpr double safeguarded = 0.1;
constexpr int window = 10;  // systems between two checks of progress
constexpr double slow = 0.5, quick = 0.2, least_limit = 0.01;

constexpr Option keys[] = {
    {"type", Option::text, Option::required, "rule that computes the tolerance", eisenstat_walker},
    {"initial", Option::number, "0.1",
     "tolerance of the first solve of the run, of each time step, and after the change to second order", "(0, 1)"},
    {"max", Option::number, "0.3", "upper bound of the tolerance", "(0, 1)"},
    {"max_at_start", Option::number, "0.1",
     "upper bound of the tolerance at the start of a phase. After every ten systems it is doubled (at most to `max`) "
     "if the nonlinear residual has fallen below 0.2 of its value ten systems earlier, and halved (not below 0.01) if "
     "it has not fallen below 0.5 of it",
     "(0, 1)"},
    {"gamma", Option::number, "0.9", "factor gamma in eta = gamma (|R| / |R_old|)^alpha", "(0, 1]"},
    {"alpha", Option::number, "2", "exponent alpha in eta = gamma (|R| / |R_old|)^alpha", "(1, 2]"}};

}  // namespace

const char* to_string(ToleranceReason reason) {
  constexpr const char* names[] = {"fixed", "initial", "ratio", "safeguard", "goal", "max", "limit", "again"};
  return names[static_cast<int>(reason)];
}

Options forcing_options() { return keys; }

bool ForcingRule::is_given(const Table& options) {
  const TableNode* n = options.node()->find("tolerance");
  return n && (n->kind == TableNode::Kind::string || n->kind == TableNode::Kind::table);
}

ForcingRule::ForcingRule(const Table& options) {
  if (!is_given(options)) return;
  const Table t = options.described_by(linear_solver_options());
  const bool is_table = t.is_table("tolerance");
  const Table own = is_table ? t.table("tolerance") : Table().described_by(keys);
  if (is_table) {
    own.get<std::string>("type");
  } else if (const auto text = t.get<std::string>("tolerance"); text != eisenstat_walker) {
    t.fail("tolerance", "'tolerance' must be a number or \"eisenstat_walker\", got \"" + text + "\"");
  }
  read_keys(own, "initial", initial, "max", max, "max_at_start", max_at_start, "gamma", gamma, "alpha", alpha);
  if (!t.get<bool>("relative")) t.fail("relative", "tolerance = \"eisenstat_walker\" needs relative = true");
  is_adaptive = true;
}

ForcingTerm::ForcingTerm(const ForcingRule& rule) : rule_(rule) {
  if (!rule.is_adaptive) return;
  eta_ = std::make_shared<double>(std::min(rule.initial, rule.max));
  begin_phase();
  reason_ = ToleranceReason::initial;
}

void ForcingTerm::begin_phase() {
  residual_ = mark_ = -1;
  limit_ = std::min(rule_.max_at_start, rule_.max);
}

void ForcingTerm::look_at_progress(double residual) {
  if (!(mark_ > 0)) {
    mark_ = residual;
    since_mark_ = 0;
  } else if (++since_mark_ == window) {
    if (residual > slow * mark_) limit_ = std::max(limit_ / 2, std::min(least_limit, rule_.max));
    if (residual < quick * mark_) limit_ = std::min(limit_ * 2, rule_.max);
    mark_ = residual;
    since_mark_ = 0;
  }
}

void ForcingTerm::aim(double residual, double goal) {
  if (!eta_) return;
  look_at_progress(residual);
  double eta = rule_.initial;
  reason_ = ToleranceReason::initial;
  if (residual_ > 0) {
    eta = rule_.gamma * std::pow(residual / residual_, rule_.alpha);
    reason_ = ToleranceReason::ratio;
    if (const double slowest = rule_.gamma * std::pow(*eta_, rule_.alpha); slowest > safeguarded && slowest > eta) {
      eta = slowest;
      reason_ = ToleranceReason::safeguard;
    }
  }
  if (residual > 0 && goal / (2 * residual) > eta) {
    eta = goal / (2 * residual);
    reason_ = ToleranceReason::goal;
  }
  if (!(eta <= limit_)) {
    eta = limit_;
    reason_ = limit_ < rule_.max ? ToleranceReason::limit : ToleranceReason::max;
  }
  residual_ = residual;
  *eta_ = eta;
}

void ForcingTerm::again() {
  if (eta_) reason_ = ToleranceReason::again;
}

void ForcingTerm::state(Archive& a) {
  if (!eta_) return;
  a.number("forcing_term", *eta_);
  a.number("nonlinear_residual", residual_);
  a.number("forcing_limit", limit_);
  a.number("forcing_mark", mark_);
  a.number("forcing_since_mark", since_mark_);
  a.require(*eta_ > 0 && *eta_ < 1, "forcing_term");
}

}  // namespace weir
