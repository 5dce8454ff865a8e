#include "inputs/formula_values.hpp"

#include <cmath>

#include "base/error.hpp"

namespace weir {
namespace {

using Kind = TableNode::Kind;

Formula formula_of(const Table& table, std::string_view key, const TableNode& n, std::string_view variables) {
  if (n.kind == Kind::integer) return Formula(static_cast<double>(n.integer));
  if (n.kind == Kind::number && std::isnan(n.number))
    table.fail(key, "'" + std::string(key) + "' must be numbers or formulas, got nan");
  if (n.kind == Kind::number) return Formula(n.number);
  if (n.kind != Kind::string)
    table.fail(key, "'" + std::string(key) + "' must be numbers or formulas, got " + name_of(n.kind));
  return Formula(parse_formula(n, variables));
}

}  // namespace

void refuse_formula(const TableNode& text, std::size_t at, const std::string& message) {
  const std::string column = text.column > 0 ? ":" + std::to_string(text.column + 1 + static_cast<int>(at)) : "";
  throw Error(Exit::usage, text.place + column + ": formula \"" + text.text + "\": " + message);
}

bool has_formula(const Table& table, std::string_view key) {
  if (!table.has(key)) return false;
  const TableNode& n = *table.node()->find(key);
  if (n.kind == Kind::string) return true;
  for (const auto& item : n.items)
    if (item->kind == Kind::string) return true;
  return false;
}

std::vector<Formula> read_formulas(const Table& table, std::string_view key, std::string_view variables) {
  if (!table.has(key)) return {};
  TableNode& n = *table.node()->find(key);
  n.is_read = true;
  if (n.kind != Kind::array) return {formula_of(table, key, n, variables)};
  std::vector<Formula> all;
  for (const auto& item : n.items) all.push_back(formula_of(table, key, *item, variables));
  return all;
}

}  // namespace weir
