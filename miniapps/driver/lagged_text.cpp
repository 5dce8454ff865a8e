#include "miniapps/driver/lagged_preconditioner.hpp"

#include <fmt/format.h>

#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

double mean(const AgeRecord& a) { return a.solves ? a.iterations / a.solves : 0; }

std::string by_age(const RefreshPolicy& policy) {
  constexpr std::size_t shown = 12;
  std::string text;
  for (std::size_t k = 0; k < policy.ages().size() && k < shown; ++k)
    text += fmt::format(" {:.1f}", mean(policy.ages()[k]));
  return text + (policy.ages().size() > shown ? " ..." : "");
}

std::string csv(const RefreshPolicy& policy) {
  std::string text = "what,age,solves,iterations,ms\n";
  for (std::size_t k = 0; k < policy.ages().size(); ++k)
    text += fmt::format("age,{},{},{:.6g},\n", k, policy.ages()[k].solves, mean(policy.ages()[k]));
  for (const ScheduleCost& c : policy.compare())
    text += fmt::format("{},,,{:.6g},{:.6g}\n", c.schedule, c.iterations, 1e3 * c.seconds);
  return text;
}

std::string table(const std::string& system, const RefreshPolicy& policy) {
  int solves = 0;
  for (const AgeRecord& a : policy.ages()) solves += a.solves;
  std::string text = fmt::format("\n{}: preconditioner rebuilt {} times in {} solves (refresh = \"{}\"", system,
                                 policy.updates(), solves, policy.text());
  if (policy.rescues()) text += fmt::format("; {} after a failed solve with a lagged one", policy.rescues());
  text += fmt::format(")\n  mean iterations by age:{}\n", by_age(policy));
  const std::vector<ScheduleCost> costs = policy.compare();
  if (costs.empty()) return text;
  text += fmt::format("  cost of an update: {:.2f} iterations measured, {:.2f} used by the policy\n",
                      policy.measured_price(), policy.price());
  const char* what[] = {"as run", "estimated from the iterations by age", "best schedule in hindsight, estimated"};
  for (std::size_t i = 0; i < costs.size(); ++i)
    text += fmt::format("  {:<18} {:>8.2f} iterations {:>10.3f} ms per solve   {}\n", costs[i].schedule,
                        costs[i].iterations, 1e3 * costs[i].seconds, what[i]);
  return text;
}

}  // namespace

void report_lag(Run& run, const std::string& system, const RefreshPolicy& policy) {
  write_text_aside(run.path("lifetime.csv"), csv(policy));
  run.say_at_end(table(system, policy));
}

}  // namespace weir
