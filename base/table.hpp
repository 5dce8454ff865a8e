// A table of the case file, as every reader of options sees it: typed look-ups with defaults, each remembering the line
// it came from. Reading a key marks it as known and writes its value (or the default) into the effective configuration;
// what is left unread when all options have been read is an unknown key, refused with the nearest known one.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/option.hpp"

namespace weir {

struct TableNode;  // base/table.cpp

class Table {
 public:
  Table();  // empty: every key has its default
  explicit Table(std::shared_ptr<TableNode> node) : node_(std::move(node)) {}

  bool has(std::string_view key) const;
  std::vector<std::string> keys() const;  // in the order of the file

  // This table with its keys described, those of earlier calls too. Then get(key) takes its default from the description
  // and every get checks the allowed values; an older name of a key counts as the key; a table inside is described as well;
  // to ask for a key that is not described is a std::logic_error. The descriptions must outlive all copies.
  Table described_by(Options options) const;
  const std::vector<Options>& descriptions() const { return described_; }

  // With a default: the value, or the default where the key is missing. Without: a missing key is an error, unless its
  // description has a default.
  // T: bool, int, std::int64_t, double (an integer is accepted), std::string, std::vector<double|int|std::string>.
  template <class T>
  T get(std::string_view key, const T& fallback) const;
  template <class T>
  T get(std::string_view key) const;
  std::string get(std::string_view key, const char* fallback) const { return get<std::string>(key, fallback); }

  // One of the given words; the first is not special, the fallback is said apart.
  std::string choice(std::string_view key, std::initializer_list<std::string_view> words,
                     std::string_view fallback) const;

  Table table(std::string_view key) const;  // a sub-table; an empty one where the key is missing
  // [[key]]: an array of tables; empty where missing. A string in it stands for { type = string }.
  std::vector<Table> tables(std::string_view key) const;
  bool is_table(std::string_view key) const;

  // The keys that no description names, as TOML; they count as read. For a solver that is not ours.
  std::string rest() const;
  // As if the file had it: at the place of the table.
  void put(std::string_view key, const std::string& text) const;

  // "file:line" of a key (or of the table where the key is missing), and an error of exit code 2 that starts with it.
  std::string where(std::string_view key) const;
  [[noreturn]] void fail(std::string_view key, const std::string& message) const;

  // Refuses every key below this table that nobody has read: "file:line: unknown key 'x'; did you mean 'y'?"
  void refuse_unknown() const;

  // The table with the defaults filled in, as TOML.
  std::string effective() const;
  // The same without the defaults: what the file and the overrides say.
  std::string given() const;

  // The keys whose values are others than in `before`: "flow.viscosity = 0.02 (was 0.01)".
  std::vector<std::string> changes(const Table& before) const;

  const std::shared_ptr<TableNode>& node() const { return node_; }

 private:
  const Option* option(std::string_view key) const;  // null: this table has no descriptions
  Table inside(std::string_view key, std::shared_ptr<TableNode> node) const;

  std::shared_ptr<TableNode> node_;
  std::vector<Options> described_;
};

}  // namespace weir
