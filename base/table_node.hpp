// A value of the case file with its line. Included only by inputs/case.cpp and base/table*.cpp.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir {

struct TableNode {
  enum class Kind { boolean, integer, number, string, array, table };
  Kind kind = Kind::table;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;
  std::string text;
  std::vector<std::shared_ptr<TableNode>> items;                            // array
  std::vector<std::pair<std::string, std::shared_ptr<TableNode>>> entries;  // table, in file order

  std::string place;                         // "file:line" (1 for the root), or "--set key.path"
  int column = 0;                            // column of the value; 0: an override
  std::string path;                          // "linear.pressure"; empty for the root
  bool is_read = false;                      // a reader asked for it
  bool is_default = false;                   // not in the file: a default
  std::set<std::string, std::less<>> asked;  // table: all keys that were looked up, for suggestions
  // index in entries where the next search starts, because keys are read mostly in order
  mutable std::size_t last_found = 0;

  TableNode* find(std::string_view key) const { return entry(key).get(); }  // null: missing
  std::shared_ptr<TableNode> entry(std::string_view key) const;
  void set(std::string_view key, std::shared_ptr<TableNode> value);
  std::string child_path(std::string_view key) const {
    return path.empty() ? std::string(key) : path + "." + std::string(key);
  }
};

// "a string", "an integer", ...
const char* name_of(TableNode::Kind kind);

// One value in TOML notation, tables inline.
std::string inline_toml(const TableNode& node);

}  // namespace weir
