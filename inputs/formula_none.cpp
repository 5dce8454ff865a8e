// Built without muParser: numbers only.
#include "base/foreign/optional_library.hpp"
#include "inputs/formula_values.hpp"

namespace weir {

class ParsedFormula {};

bool Formula::depends_on_time() const { return false; }
double Formula::evaluate(const double (&)[3], double) const { return 0; }

std::shared_ptr<ParsedFormula> parse_formula(const TableNode& text, std::string_view) {
  refuse_formula(text, 0, lacks("muParser") + ", which is required for formulas; expected a number");
}

}  // namespace weir
