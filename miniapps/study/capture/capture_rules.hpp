// When a system is captured: rules joined with `|`, any of which suffices.
//   steps:100,200   every:50   iterations>40   time>5 ms   time>0.1 s   stagnation   not_finite   failure
// `failure`: the solve did not converge, for any reason.
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
  CaptureRules() = default;                     // captures nothing
  explicit CaptureRules(const Table& capture);  // key `when`; Error(usage) with file and line

  bool empty() const { return rules_.empty(); }
  bool ask_for_seconds() const { return ask_for_seconds_; }
  // The first rule that this solve meets, as written in the case; empty: none.
  std::string met(std::int64_t step, const SolveResult& result) const;

 private:
  using Condition = std::function<bool(std::int64_t step, const SolveResult& result)>;
  Condition read(const std::string& rule);  // throws std::invalid_argument

  std::vector<std::pair<std::string, Condition>> rules_;
  bool ask_for_seconds_ = false;
};

}  // namespace weir
