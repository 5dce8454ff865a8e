// What a key of the case file is: its name, type, default, meaning and allowed values, said once beside the code that reads
// it. The reader takes them from here (Table::described_by), and so do `weir explain`, the reference page and the schema.
//   constexpr Option options[] = {
//       {"cycle", Option::text, "V", "one visit of the coarser level, or two", "V | F"},
//       {"pre", Option::integer, "2", "sweeps before the correction", "[1, inf)"},
//       {"storage", Option::text, "double", "of the factors", "double | float", "", "factors, single=float"}};
#pragma once
#include <span>
#include <string_view>

namespace weir {

struct Option {
  enum Type { boolean, integer, number, text, numbers, integers, texts, table, tables };

  std::string_view name = {};  // "*": any name (the sides in [boundary])
  Type type = text;
  // In TOML's notation, a text without its quotes. `required`: there is none. "depends", "depends on ...": the reader
  // computes it, and passes it to get(key, fallback).
  std::string_view fallback = {};
  std::string_view meaning = {};  // one line
  std::string_view values = {};   // of a text: "V | F"; of numbers an interval, "[1, inf)", "(0, 1)"; empty: any
  std::string_view unit = {};
  std::string_view alias = {};  // older spellings that are accepted: "factors, single=float" (a name, a value)
  // Of a table: its keys. Of a table that describes a method (`type` and that method's keys): null, with `values` the name of
  // the list to look in, "preconditioner".
  std::span<const Option> (*inside)() = nullptr;

  static constexpr std::string_view required = "required";
  constexpr bool is_required() const { return fallback == required; }
  constexpr bool is_computed() const { return fallback.starts_with("depends"); }
};

using Options = std::span<const Option>;

}  // namespace weir
