// The keys of [select].
#include "miniapps/study/facility.hpp"

namespace weir {

Options select_options() {
  static constexpr Option keys[] = {
      {"system", Option::text, "", "one of [linear.SYSTEM]"},
      {"solvers", Option::texts, "[]",
       "names: [select.NAME] says what each is; the default, [linear.SYSTEM], races too"},
      {"every", Option::integer, "20", "between two races where the cost of a step stays the same", "[1, inf)",
       "steps"},
      {"steps", Option::integer, "2", "that each solver leads in a race, at least; together they take 2 ms",
       "[2, inf)"},
      {"budget", Option::number, "0.02", "what races and trials may cost: this share of the run's own time",
       "(0, inf)"},
      {"limit", Option::number, "2", "a solver is cut off in a race after so many times what the in-loop solver takes",
       "(1, inf)"},
      {"margin", Option::number, "0.02", "by which another solver must be faster to lead", "[0, 1)"},
      {"confidence", Option::number, "0.975", "with which it must be, by the races", "(0.5, 1)"},
      {"decisions", Option::text, "", "a decisions.csv: its decisions are followed and no race is run"},
      {"seed", Option::integer, "1", "of the orders in races"}};
  return keys;
}

}  // namespace weir
