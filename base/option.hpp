// Description of a key of the case file: name, type, default, meaning and allowed values, next to the code that reads
// it. The reader (Table::described_by), `weir explain`, the reference page and the schema use it.
//   constexpr Option options[] = {
//       {"cycle", Option::text, "V", "multigrid cycle", "V | F"},
//       {"pre", Option::integer, "2", "number of pre-smoothing sweeps", "[1, inf)"},
//       {"storage", Option::text, "double", "format of the factors", "double | float", "", "factors, single=float"}};
#pragma once
#include <span>
#include <string_view>

namespace weir {

struct Option {
  enum Type { boolean, integer, number, text, numbers, integers, texts, table, tables };

  std::string_view name = {};  // "*": any name (the sides in [boundary])
  Type type = text;
  // In TOML notation, texts without quotes. `required`: no default. "depends on X: DEFAULT", "depends: DEFAULT": the
  // reader computes the default and passes it to get(key, fallback); DEFAULT describes it.
  std::string_view fallback = {};
  std::string_view meaning = {};  // one line: a noun phrase that makes sense without the name
  std::string_view values = {};   // text: "V | F"; numbers: "[1, inf)", "(0, 1)"; empty: any
  std::string_view unit = {};
  std::string_view alias = {};  // older spellings that are accepted: "factors, single=float" (a name, a value)
  // Table: its keys. Table that selects a method (`type` and the keys of that method): null, with `values` the name
  // of the list of methods, "preconditioner".
  std::span<const Option> (*inside)() = nullptr;

  static constexpr std::string_view required = "required";
  constexpr bool is_required() const { return fallback == required; }
  constexpr bool is_computed() const { return fallback.starts_with("depends"); }
};

using Options = std::span<const Option>;

}  // namespace weir
