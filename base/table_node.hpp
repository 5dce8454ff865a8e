// What stands behind a Table: a value of the case file, the line it came from, and whether anybody has asked for it.
// Independent of the parser. Only the reader (inputs/case.cpp) and base/table*.cpp include this.
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
  std::vector<std::pair<std::string, std::shared_ptr<TableNode>>> entries;  // table, in the order of the file

  std::string place;                         // "file:line" (of the root 1), or "--set key.path"
  int column = 0;                            // of the value in its line; 0: of an override
  std::string path;                          // "linear.pressure"; empty for the root
  bool is_read = false;                      // somebody asked for it
  bool is_default = false;                   // not in the file: written here by a look-up
  std::set<std::string, std::less<>> asked;  // table: every key that was looked for, for suggestions
  mutable std::size_t last_found = 0;        // of entries: the next search begins there, keys being mostly in order

  TableNode* find(std::string_view key) const { return entry(key).get(); }  // null where missing
  std::shared_ptr<TableNode> entry(std::string_view key) const;
  void set(std::string_view key, std::shared_ptr<TableNode> value);
  std::string child_path(std::string_view key) const {
    return path.empty() ? std::string(key) : path + "." + std::string(key);
  }
};

// "a string", "an integer", ...
const char* name_of(TableNode::Kind kind);

// One value in TOML's notation, tables inline.
std::string inline_toml(const TableNode& node);

}  // namespace weir
