// When a system is captured: rules joined with `|`, any of which is enough.
//   steps:100,200   every:50   iterations>40   time>5 ms   time>0.1 s   stagnation   not_finite   failure
// `failure` is a solve that did not converge for whatever reason.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/table.hpp"
#include "solvers/krylov/krylov.hpp"

namespace weir {

class CaptureRules {
 public:
  CaptureRules() = default;                     // never
  explicit CaptureRules(const Table& capture);  // its key `when`; Error(usage) with its place for a rule that is none

  bool empty() const { return rules_.empty(); }
  bool ask_for_seconds() const { return ask_for_seconds_; }
  // The first rule that this solve meets, as it was written; empty: none.
  std::string met(std::int64_t step, const SolveResult& result) const;

 private:
  using Condition = std::function<bool(std::int64_t step, const SolveResult& result)>;
  Condition read(const std::string& rule);  // throws std::invalid_argument with what is wrong

  std::vector<std::pair<std::string, Condition>> rules_;
  bool ask_for_seconds_ = false;
};

}  // namespace weir
