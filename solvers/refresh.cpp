#include "solvers/refresh.hpp"

#include <algorithm>
#include <charconv>

#include "solvers/registry.hpp"
namespace weir {
namespace {

// "every:4" after its colon; false where that is no number.
template <class T>
bool number_after_colon(const std::string& text, T& value) {
  const char* begin = text.data() + text.find(':') + 1;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  return error == std::errc() && stop == end;
}

}  // namespace

RefreshPolicy::RefreshPolicy(const Table& options, const std::string& preconditioner)
    : text_(options.described_by(linear_solver_options()).get<std::string>("refresh")) {
  if (const PreconditionerDescription* d = find_preconditioner(preconditioner)) price_ = d->update_cost;
  if (text_ == "always") return;
  if (text_.starts_with("every:")) {
    kind_ = Kind::every;
    if (number_after_colon(text_, every_) && every_ >= 1) return;
    options.fail("refresh", "'" + text_ + "': K in every:K must be an integer of at least 1");
  }
  kind_ = Kind::adaptive;
  is_measured_ = text_ == "adaptive:measured";
  if (text_ == "adaptive" || is_measured_) return;
  if (text_.starts_with("adaptive:") && number_after_colon(text_, price_) && price_ >= 0) return;
  options.fail(
      "refresh",
      "unknown refresh '" + text_ +
          "'; known: always, every:K, adaptive, adaptive:COST (of an update, in iterations), adaptive:measured");
}

void RefreshPolicy::require_always(const Table& options) const {
  if (is_always()) return;
  options.fail("refresh",
               "refresh = \"" + text_ +
                   "\" is not supported by this scheme, which rebuilds its preconditioners whenever their matrix "
                   "changes; the compressible miniapp and scheme = \"artificial_compressibility\" support it");
}

double RefreshPolicy::measured_price() const {
  if (updates_ == 0 || iterations_ == 0 || solve_seconds_ == 0) return 0;
  return update_seconds_ / updates_ / (solve_seconds_ / iterations_);
}

double RefreshPolicy::price() const {
  const double measured = is_measured_ ? measured_price() : 0;
  return measured > 0 ? measured : price_;
}

bool RefreshPolicy::is_due() const {
  if (kind_ == Kind::always) return true;
  if (kind_ == Kind::every) return age_ + 1 >= every_;
  if (solves_ == 0) return false;  // nothing was solved with it yet
  if (age_ == 0 && wait_ > 0) return true;
  return last_iterations_ * solves_ >= price() + cycle_iterations_;
}

// A cycle that ended at its first old solve, or by a failure, has lost.
void RefreshPolicy::judge_cycle() {
  constexpr int longest = 64;
  if (failed_ || age_ == 1) {
    patience_ = std::clamp(2 * patience_, 1, longest);
    wait_ = patience_;
  } else if (age_ > 1) {
    patience_ = 0;
  } else if (wait_ > 0) {
    --wait_;
  }
  failed_ = false;
}

void RefreshPolicy::renewed(double seconds, bool counts) {
  if (counts) judge_cycle();
  age_ = solves_ = 0;
  cycle_iterations_ = 0;
  if (!counts) return;
  ++updates_;
  update_seconds_ += seconds;
}

void RefreshPolicy::solved(const SolveResult& result) {
  if (is_always()) return;
  if (age_ == 0) fresh_failed_ = !result.converged();
  ++solves_;
  cycle_iterations_ += result.iterations;
  last_iterations_ = result.iterations;
  const auto age = static_cast<std::size_t>(age_);
  if (ages_.size() <= age) ages_.resize(age + 1);
  ++ages_[age].solves;
  ages_[age].iterations += result.iterations;
  iterations_ += result.iterations;
  solve_seconds_ += result.solve_seconds;
}

void RefreshPolicy::wasted(const SolveResult& result) {
  ++rescues_;
  failed_ = true;
  iterations_ += result.iterations;
  solve_seconds_ += result.solve_seconds;
}

bool RefreshPolicy::blames_age(const SolveResult& result) const {
  if (is_always() || age_ == 0 || result.converged() || result.reason == Reason::interrupted) return false;
  const bool lowered = result.true_residual < result.residual0;  // false where it is not a number
  return !fresh_failed_ || !lowered;
}

ScheduleCost RefreshPolicy::cost_of(int every) const {
  double iterations = 0;
  for (int k = 0; k < every; ++k) {
    const AgeRecord& a = ages_[k];
    iterations += a.iterations / a.solves;
  }
  const double iteration_seconds = solve_seconds_ / iterations_, update = update_seconds_ / updates_;
  return {every == 1 ? "always" : "every:" + std::to_string(every), iterations / every,
          (update + iterations * iteration_seconds) / every};
}

std::vector<ScheduleCost> RefreshPolicy::compare() const {
  if (measured_price() == 0 || ages_.empty() || ages_.front().solves == 0) return {};
  int solves = 0, reached = 0;
  for (const AgeRecord& a : ages_) solves += a.solves;
  while (reached < static_cast<int>(ages_.size()) && ages_[reached].solves > 0) ++reached;
  std::vector<ScheduleCost> costs{{text_, iterations_ / solves, (update_seconds_ + solve_seconds_) / solves},
                                  cost_of(1)};
  ScheduleCost best = costs.back();
  for (int every = 2; every <= reached; ++every)
    if (const ScheduleCost c = cost_of(every); c.seconds < best.seconds) best = c;
  costs.push_back(best);
  return costs;
}

void RefreshPolicy::state(Archive& a) {
  a.number("age", age_);
  a.number("solves", solves_);
  a.number("cycle_iterations", cycle_iterations_);
  a.number("last_iterations", last_iterations_);
  a.number("fresh_failed", fresh_failed_);
  a.number("failed", failed_);
  a.number("patience", patience_);
  a.number("wait", wait_);
  a.number("updates", updates_);
  a.number("rescues", rescues_);
  a.number("update_seconds", update_seconds_);
  a.number("solve_seconds", solve_seconds_);
  a.number("iterations", iterations_);
  std::vector<int> solves;
  std::vector<double> iterations;
  for (const AgeRecord& r : ages_) solves.push_back(r.solves), iterations.push_back(r.iterations);
  a.list("solves_by_age", solves);
  a.list("iterations_by_age", iterations);
  a.require(age_ >= 0 && solves_ >= 0 && solves.size() == iterations.size(), "age");
  ages_.resize(solves.size());
  for (std::size_t i = 0; i < ages_.size(); ++i) ages_[i] = {solves[i], iterations[i]};
}

}  // namespace weir
