// All keys of the case file, gathered from their readers, for `weir explain`, `weir list`, the reference pages and the
// JSON schema.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "miniapps/cli/command_line.hpp"

namespace weir {

struct DescribedTable {
  std::string path;                  // "linear.SYSTEM.preconditioner"; capitals stand for any name
  std::vector<std::string> readers;  // miniapps, "weir ab"; empty: all miniapps
  std::string when;                  // condition: "stl" (a type), "as a table"; empty: none
  Options keys;

  std::string title() const;  // "[linear.SYSTEM.preconditioner] multigrid"
};

struct DescribedKey {
  const DescribedTable* table;
  const Option* option;
  std::string path() const { return table->path + "." + std::string(option->name); }
};

class Schema {
 public:
  explicit Schema(const Program& program);
  const std::vector<DescribedTable>& tables() const { return tables_; }
  const Results& results() const { return results_; }

  // The keys that match a path or its beginning: "time.cfl", "linear.pressure", "boundary.*.type", "cfl". Only exact
  // matches if there are any.
  std::vector<DescribedKey> find(std::string_view pattern) const;
  static bool is_at(const DescribedKey& key, std::string_view path);         // the key has this path in a case
  static bool is_above(const DescribedTable& table, std::string_view path);  // the path is this table or contains it
  std::vector<std::string> names_like(std::string_view pattern) const;       // paths for "did you mean"
  // Error message for a table of a case that is not read: the mistyped key, or the miniapp that the table belongs to.
  // Empty if the table is unknown.
  std::string whose_table(const Table& config, const std::string& table) const;

 private:
  void add(const KeyTable& table, const std::string& reader);
  std::vector<DescribedTable> tables_;
  Results results_;
};

bool is_any_name(const std::string& part);              // "SYSTEM"
bool is_list_of_tables(const std::string& table_name);  // [[probe]]

// "number", "array of integers".
const char* name_of(Option::Type type);
std::string default_text(const Option& option);  // "0.5", "required", "depends on the grid: x"

}  // namespace weir
