#include "inputs/formula.hpp"

#include <muParser.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "inputs/formula_values.hpp"

namespace weir {
namespace {

constexpr char names[] = "xyzt";

}  // namespace

class ParsedFormula {
 public:
  ParsedFormula(const TableNode& text, std::string_view variables) : place_(text.place), text_(text.text) {
    parser_.DefineConst("pi", 3.14159265358979323846);
    for (std::size_t v = 0; v < 4; ++v)
      if (variables.find(names[v]) != variables.npos) parser_.DefineVar(std::string(1, names[v]), &value_[v]);
    try {
      parser_.SetExpr(text.text);
      int results = 0;
      parser_.Eval(results);
      refuse_assignment(text, results);
      for (const auto& [name, where] : parser_.GetUsedVar()) uses_time_ = uses_time_ || name == "t";
    } catch (const mu::Parser::exception_type& e) {
      refuse(text, variables, e);
    }
  }
  double at(const double (&x)[3], double t) {
    for (std::size_t d = 0; d < 3; ++d) value_[d] = x[d];
    value_[3] = t;
    const double value = parser_.Eval();
    if (std::isnan(value)) refuse_value(x, t);
    return value;
  }
  bool uses_time() const { return uses_time_; }

 private:
  [[noreturn]] void refuse_value(const double (&x)[3], double t) const {
    char where[160];
    std::snprintf(where, sizeof where, "is not a number at x = %g, y = %g, z = %g, t = %g", x[0], x[1], x[2], t);
    throw Error(Exit::usage, place_ + ": formula \"" + text_ + "\" " + where);
  }

  // muParser accepts "x = 2" and "1, 2" as expressions.
  static void refuse_assignment(const TableNode& text, int results) {
    const std::string& s = text.text;
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (s[i] != '=') continue;
      const bool compares = (i > 0 && std::string_view("<>!=").find(s[i - 1]) != std::string_view::npos) ||
                            (i + 1 < s.size() && s[i + 1] == '=');
      if (!compares) refuse_formula(text, i, "'=' is not allowed in a formula: expected an expression");
    }
    if (results != 1) refuse_formula(text, s.find(','), "expected one expression, got " + std::to_string(results));
  }
  [[noreturn]] static void refuse(const TableNode& text, std::string_view variables, const mu::ParserError& e) {
    const int at = e.GetPos();
    const std::size_t place = at < 0 ? 0 : static_cast<std::size_t>(at);
    if (e.GetCode() != mu::ecUNASSIGNABLE_TOKEN) refuse_formula(text, place, e.GetMsg());
    std::string token = e.GetToken();
    token = token.substr(0, token.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"));
    std::string list;
    for (const char v : variables) list += std::string(list.empty() ? "" : ", ") + v;
    refuse_formula(text, place,
                   "unknown name '" + (token.empty() ? e.GetToken() : token) + "'; expected " + list +
                       ", pi, a function or an operator");
  }

  mu::Parser parser_;
  double value_[4] = {1, 1, 1, 1};
  bool uses_time_ = false;
  std::string place_, text_;  // in the case file
};

bool Formula::depends_on_time() const { return parsed_ && parsed_->uses_time(); }
double Formula::evaluate(const double (&x)[3], double t) const { return parsed_->at(x, t); }

std::shared_ptr<ParsedFormula> parse_formula(const TableNode& text, std::string_view variables) {
  return std::make_shared<ParsedFormula>(text, variables);
}

}  // namespace weir
