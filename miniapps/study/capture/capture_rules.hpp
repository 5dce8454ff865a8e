// When a system is captured: rules joined with `|`, any of which is enough.
//   steps:100,200   every:50   iterations>40   time>5 ms   time>0.1 s   stagnation   not_finite   failure
// `failure` is a solve that did not converge for whatever reason.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "solvers/krylov/krylov.hpp"

namespace weir {

class CaptureRules {
 public:
  CaptureRules() = default;                     // never
  explicit CaptureRules(const Table& capture);  // its key `when`; Error(usage) with its place for a rule that is none

  bool empty() const { return rules_.empty(); }
  bool ask_for_seconds() const;
  // The first rule that this solve meets, as it was written; empty: none.
  std::string met(std::int64_t step, const SolveResult& result) const;

 private:
  enum class Kind { steps, every, iterations, seconds, stagnation, not_finite, failure };
  struct Rule {
    Kind kind;
    std::string text;
    std::vector<std::int64_t> steps;
    double limit = 0;
  };
  static Rule read(const std::string& text);  // throws std::invalid_argument with what is wrong

  std::vector<Rule> rules_;
};

}  // namespace weir
