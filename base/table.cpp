#include "base/table.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/table_node.hpp"
#include "base/table_option.hpp"
#include "base/unknown_key.hpp"

namespace weir {
namespace {

using Kind = TableNode::Kind;

template <class T>
struct is_vector : std::false_type {};
template <class T>
struct is_vector<std::vector<T>> : std::true_type {};

template <class T>
const char* wanted() {
  if constexpr (std::is_same_v<T, bool>)
    return "true or false";
  else if constexpr (std::is_integral_v<T>)
    return "an integer";
  else if constexpr (std::is_same_v<T, double>)
    return "a number";
  else if constexpr (std::is_same_v<T, std::string>)
    return "a string";
  else if constexpr (std::is_same_v<T, std::vector<int>>)
    return "an array of integers";
  else if constexpr (std::is_same_v<T, std::vector<double>>)
    return "an array of numbers";
  else
    return "an array of strings";
}

bool fits_int(std::int64_t v) { return v >= std::numeric_limits<int>::min() && v <= std::numeric_limits<int>::max(); }

// False if the value has another type; `culprit` is then that value (or the element of the array).
template <class T>
bool convert(const TableNode& n, T& value, const TableNode*& culprit) {
  culprit = &n;
  if constexpr (is_vector<T>::value) {
    if (n.kind != Kind::array) return false;
    value.clear();
    for (const auto& item : n.items) {
      typename T::value_type element{};
      if (!convert(*item, element, culprit)) return false;
      value.push_back(element);
    }
    return true;
  } else if constexpr (std::is_same_v<T, bool>) {
    value = n.boolean;
    return n.kind == Kind::boolean;
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = n.text;
    return n.kind == Kind::string;
  } else if constexpr (std::is_same_v<T, double>) {
    value = n.kind == Kind::integer ? static_cast<double>(n.integer) : n.number;
    return (n.kind == Kind::integer || n.kind == Kind::number) && !std::isnan(value);
  } else {
    value = static_cast<T>(n.integer);
    return n.kind == Kind::integer && (sizeof(T) == 8 || fits_int(n.integer));
  }
}

template <class T>
std::shared_ptr<TableNode> node_of(const T& value) {
  auto n = std::make_shared<TableNode>();
  if constexpr (is_vector<T>::value) {
    n->kind = Kind::array;
    for (const auto& element : value) n->items.push_back(node_of(element));
  } else if constexpr (std::is_same_v<T, bool>) {
    n->kind = Kind::boolean;
    n->boolean = value;
  } else if constexpr (std::is_same_v<T, std::string>) {
    n->kind = Kind::string;
    n->text = value;
  } else if constexpr (std::is_same_v<T, double>) {
    n->kind = Kind::number;
    n->number = value;
  } else {
    n->kind = Kind::integer;
    n->integer = value;
  }
  n->is_read = true;
  return n;
}

TableNode* ask(TableNode& table, std::string_view key) {
  if (!table.asked.contains(key)) table.asked.emplace(key);
  TableNode* n = table.find(key);
  return n && !n->is_default ? n : nullptr;
}

std::string got(const TableNode& n) {
  if (n.kind == Kind::integer && !fits_int(n.integer)) return inline_toml(n);
  if (n.kind == Kind::number && std::isnan(n.number)) return "nan";
  return name_of(n.kind);
}

template <class T>
T read(const Table& table, std::string_view key, TableNode& n) {
  n.is_read = true;
  T value{};
  const TableNode* culprit = nullptr;
  if (!convert(n, value, culprit))
    table.fail(key, "'" + std::string(key) + "' must be " + wanted<T>() + ", got " + got(*culprit) +
                        (culprit == &n ? "" : " in it"));
  return value;
}

void refuse_unknown_in(const TableNode& n) {
  for (const auto& item : n.items) refuse_unknown_in(*item);
  for (const auto& [key, child] : n.entries) {
    if (!child->is_read)
      throw UnknownKey(n.child_path(key), child->place + ": unknown key '" + key + "'" +
                                              did_you_mean(key, {n.asked.begin(), n.asked.end()}));
    refuse_unknown_in(*child);
  }
}

}  // namespace

std::shared_ptr<TableNode> TableNode::entry(std::string_view key) const {
  for (std::size_t tried = 0; tried < entries.size(); ++tried) {
    const std::size_t at = (last_found + tried) % entries.size();
    const auto& [name, node] = entries[at];
    if (name != key) continue;
    last_found = at;
    return node;
  }
  return nullptr;
}

void TableNode::set(std::string_view key, std::shared_ptr<TableNode> value) {
  for (auto& [name, node] : entries)
    if (name == key) {
      node = std::move(value);
      return;
    }
  entries.emplace_back(std::string(key), std::move(value));
}

const char* name_of(Kind kind) {
  constexpr const char* names[] = {"a boolean", "an integer", "a number", "a string", "an array", "a table"};
  return names[static_cast<int>(kind)];
}

Table::Table() : node_(std::make_shared<TableNode>()) {}

Table Table::described_by(Options options) const {
  Table out = *this;
  out.described_.push_back(options);
  for (const Option& option : options) take_older_names(*node_, option);
  return out;
}

const Option* Table::option(std::string_view key) const {
  for (const Options& options : described_)
    for (const Option& o : options)
      if (o.name == key || o.name == "*") return &o;
  if (described_.empty()) return nullptr;
  throw std::logic_error("the key '" + node_->child_path(key) + "' has no description");
}

Table Table::inside(std::string_view key, std::shared_ptr<TableNode> node) const {
  const Option* o = option(key);
  const Table table(std::move(node));
  return o && o->inside ? table.described_by(o->inside()) : table;
}

bool Table::has(std::string_view key) const {
  option(key);
  return ask(*node_, key) != nullptr;
}

std::vector<std::string> Table::keys() const {
  std::vector<std::string> names;
  for (const auto& [key, child] : node_->entries)
    if (!child->is_default) names.push_back(key);
  return names;
}

template <class T>
T Table::get(std::string_view key, const T& fallback) const {
  const Option* o = option(key);
  if (TableNode* n = ask(*node_, key)) {
    T value = read<T>(*this, key, *n);
    if (o) check_value(*this, *o, *n);
    return value;
  }
  auto n = node_of(fallback);
  n->is_default = true;
  n->place = node_->place;
  if (!node_->find(key)) node_->set(key, std::move(n));  // the first reader of the key describes it
  return fallback;
}

template <class T>
T Table::get(std::string_view key) const {
  const Option* o = option(key);
  if (o && !o->is_required() && !o->is_computed()) {
    const auto fallback = default_of(*o);
    T value{};
    const TableNode* culprit = nullptr;
    if (!convert(*fallback, value, culprit))
      throw std::logic_error("the description of '" + node_->child_path(key) + "' has no default that is " +
                             wanted<T>());
    return get<T>(key, value);
  }
  TableNode* n = ask(*node_, key);
  if (!n) {
    std::vector<std::string> unread;  // possibly a misspelling of the key
    for (const auto& [name, child] : node_->entries)
      if (!child->is_read) unread.push_back(name);
    const std::string meant = nearest(key, unread);
    fail(meant.empty() ? key : meant, "missing key '" + std::string(key) + "'" +
                                          (node_->path.empty() ? "" : " in [" + node_->path + "]") +
                                          (meant.empty() ? "" : "; did you mean '" + meant + "'?"));
  }
  T value = read<T>(*this, key, *n);
  if (o) check_value(*this, *o, *n);
  return value;
}

std::string Table::choice(std::string_view key, std::initializer_list<std::string_view> words,
                          std::string_view fallback) const {
  auto value = get<std::string>(key, std::string(fallback));
  require_one_of(*this, key, value, std::vector<std::string>(words.begin(), words.end()));
  return value;
}

Table Table::table(std::string_view key) const {
  if (TableNode* n = ask(*node_, key)) {
    n->is_read = true;
    if (n->kind != Kind::table) fail(key, "'" + std::string(key) + "' must be a table, got " + name_of(n->kind));
  }
  // from the file or created by an earlier look-up
  if (const auto child = node_->entry(key)) return inside(key, child);
  auto n = std::make_shared<TableNode>();
  n->is_read = n->is_default = true;
  n->place = node_->place;
  n->path = node_->child_path(key);
  node_->set(key, n);
  return inside(key, n);
}

std::vector<Table> Table::tables(std::string_view key) const {
  TableNode* n = ask(*node_, key);
  if (!n) return {};
  n->is_read = true;
  if (n->kind != Kind::array)
    fail(key, "'" + std::string(key) + "' must be an array of tables, got " + name_of(n->kind));
  std::vector<Table> out;
  for (auto& item : n->items) {
    if (item->kind == Kind::string) {  // a string stands for { type = string }
      auto word = node_of(item->text);
      word->place = item->place;
      word->is_read = false;
      item->kind = Kind::table;
      item->entries.emplace_back("type", std::move(word));
    }
    if (item->kind != Kind::table)
      fail(key, "'" + std::string(key) + "' must be an array of tables, got " + name_of(item->kind) + " as an element");
    out.push_back(inside(key, item));
  }
  return out;
}

bool Table::is_table(std::string_view key) const {
  const TableNode* n = ask(*node_, key);
  return n && n->kind == Kind::table;
}

void Table::put(std::string_view key, const std::string& text) const {
  auto n = node_of(text);
  n->place = node_->place;
  n->path = node_->child_path(key);
  node_->is_default = false;
  node_->set(key, std::move(n));
}

std::string Table::where(std::string_view key) const {
  const TableNode* n = node_->find(key);
  return n ? n->place : node_->place;
}

void Table::fail(std::string_view key, const std::string& message) const {
  const std::string place = where(key);
  throw Error(Exit::usage, place.empty() ? message : place + ": " + message);
}

void Table::refuse_unknown() const { refuse_unknown_in(*node_); }

#define WEIR_TABLE_GET(T)                                                  \
  template T Table::get<T>(std::string_view key, const T& fallback) const; \
  template T Table::get<T>(std::string_view key) const;
WEIR_TABLE_GET(bool)
WEIR_TABLE_GET(int)
WEIR_TABLE_GET(std::int64_t)
WEIR_TABLE_GET(double)
WEIR_TABLE_GET(std::string)
WEIR_TABLE_GET(std::vector<int>)
WEIR_TABLE_GET(std::vector<double>)
WEIR_TABLE_GET(std::vector<std::string>)
#undef WEIR_TABLE_GET

}  // namespace weir
