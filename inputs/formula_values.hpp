// Shared by the readers of formulas with and without muParser.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/table_node.hpp"
#include "inputs/formula.hpp"

namespace weir {

std::shared_ptr<ParsedFormula> parse_formula(const TableNode& text, std::string_view variables);

// Throws Error(usage): "case.toml:7:23: formula "...": message"; at: position in the text.
[[noreturn]] void refuse_formula(const TableNode& text, std::size_t at, const std::string& message);

}  // namespace weir
