// A number or a formula of x, y, z and t in the case file: "1.5*(1 - y^2)*sin(t)", checked when it is read. Functions
// and operators are those of muParser (sin, exp, sqrt, tanh, log, min, ?:, ...; pi is defined). Without muParser
// (formula_none.cpp) strings are refused. Evaluated on the host by one thread at a time, without allocation.
#pragma once
#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "base/table.hpp"

namespace weir {

class ParsedFormula;  // formula.cpp

class Formula {
 public:
  Formula(double constant = 0) : constant_(constant) {}  // NOLINT: a number is a formula
  explicit Formula(std::shared_ptr<ParsedFormula> parsed) : parsed_(std::move(parsed)) {}

  bool is_constant() const { return !parsed_; }
  bool depends_on_time() const;
  double at(const double (&x)[3], double t) const { return parsed_ ? scale_ * evaluate(x, t) : constant_; }
  Formula operator-() const {
    Formula f = *this;
    f.constant_ = -constant_;
    f.scale_ = -scale_;
    return f;
  }

 private:
  double evaluate(const double (&x)[3], double t) const;

  double constant_ = 0, scale_ = 1;
  std::shared_ptr<ParsedFormula> parsed_;  // null: a constant
};

using VectorFormula = std::array<Formula, 3>;
inline bool depends_on_time(const VectorFormula& f) {
  return f[0].depends_on_time() || f[1].depends_on_time() || f[2].depends_on_time();
}

// True if the key is a string or an array that contains one.
bool has_formula(const Table& table, std::string_view key);

// A number or formula, or an array of them. `variables`: the allowed names, "xyt". Refuses anything else.
std::vector<Formula> read_formulas(const Table& table, std::string_view key, std::string_view variables);

}  // namespace weir
