#include "miniapps/study/select/select_options.hpp"

namespace weir {

Options select_options() {
  static constexpr Option keys[] = {
      {"system", Option::text, "", "name of the system whose solver is chosen during the run, one of [linear.SYSTEM]"},
      {"solvers", Option::texts, "[]",
       "names of the candidates, defined by [select.NAME], in addition to the default of [linear.SYSTEM]"},
      {"rule", Option::text, "races",
       "rule of choice: races on branches of the run; for comparison, rules that use the times of the run's own steps: "
       "two bandits, and a probe of all candidates in turn, after which the fastest one continues",
       "races | tsallis_inf | thompson | probe"},
      {"every", Option::integer, "20",
       "number of steps between two races of the candidates while the cost per step is constant", "[1, inf)", "steps"},
      {"steps", Option::integer, "2",
       "minimum number of steps per candidate in a race; the number is increased until the steps take 2 ms in total",
       "[2, inf)"},
      {"budget", Option::number, "0.02",
       "limit on the time of all races and trials, as a fraction of the run's own time", "(0, inf)"},
      {"limit", Option::number, "2",
       "time limit of a candidate in a race, as a multiple of the time of the current solver; a candidate that exceeds "
       "it is stopped",
       "(1, inf)"},
      {"margin", Option::number, "0.02", "minimum relative gain in time for a switch to another solver", "[0, 1)"},
      {"confidence", Option::number, "0.975", "required probability of a gain above `margin`", "(0.5, 1)"},
      {"decisions", Option::text, "", "decisions.csv of an earlier run, whose switches are repeated without races"},
      {"seed", Option::integer, "1", "seed of the random orders in races"}};
  return keys;
}

}  // namespace weir
