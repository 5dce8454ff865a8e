// A table of the case file: typed look-ups with defaults and file:line of each value. Reading a key marks it as known
// and writes its value or default into the effective configuration. A key that is still unread at the end is refused
// as unknown, with the nearest known key.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/option.hpp"

namespace weir {

struct TableNode;  // base/table_node.hpp

class Table {
 public:
  Table();  // empty: all keys have their defaults
  explicit Table(std::shared_ptr<TableNode> node) : node_(std::move(node)) {}

  bool has(std::string_view key) const;
  std::vector<std::string> keys() const;  // in file order

  // This table with descriptions of its keys, in addition to earlier ones. get(key) then takes its default from the
  // description, every get checks the allowed values, older names of a key are accepted, and nested tables are
  // described as well. Asking for a key without a description is a std::logic_error. The descriptions must outlive
  // all copies.
  Table described_by(Options options) const;
  const std::vector<Options>& descriptions() const { return described_; }

  // With a default: the value, or the default if the key is missing. Without: the default of the description, or an
  // error. T: bool, int, std::int64_t, double (integers are accepted), std::string,
  // std::vector<double|int|std::string>.
  template <class T>
  T get(std::string_view key, const T& fallback) const;
  template <class T>
  T get(std::string_view key) const;
  std::string get(std::string_view key, const char* fallback) const { return get<std::string>(key, fallback); }

  // One of the given words. The default is given separately.
  std::string choice(std::string_view key, std::initializer_list<std::string_view> words,
                     std::string_view fallback) const;

  Table table(std::string_view key) const;  // an empty table if the key is missing
  // [[key]]: an array of tables; empty if missing. A string in it stands for { type = string }.
  std::vector<Table> tables(std::string_view key) const;
  bool is_table(std::string_view key) const;

  // The keys without a description, as TOML; they count as read. For third-party solvers.
  std::string rest() const;
  // Sets a key as if the file contained it.
  void put(std::string_view key, const std::string& text) const;

  // "file:line" of a key, or of the table if the key is missing; an Error with exit code 2 that starts with it.
  std::string where(std::string_view key) const;
  [[noreturn]] void fail(std::string_view key, const std::string& message) const;

  // Refuses every key below this table that was not read: "file:line: unknown key 'x'; did you mean 'y'?"
  void refuse_unknown() const;

  // The table with all defaults, as TOML.
  std::string effective() const;
  // The table without defaults: the file and the overrides.
  std::string given() const;

  // The keys whose values differ from `before`: "flow.viscosity = 0.02 (was 0.01)".
  std::vector<std::string> changes(const Table& before) const;

  const std::shared_ptr<TableNode>& node() const { return node_; }

 private:
  const Option* option(std::string_view key) const;  // null: no descriptions
  Table inside(std::string_view key, std::shared_ptr<TableNode> node) const;

  std::shared_ptr<TableNode> node_;
  std::vector<Options> described_;
};

}  // namespace weir
