#include "base/table_option.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "base/error.hpp"
#include "base/nearest.hpp"

namespace weir {
namespace {

using Kind = TableNode::Kind;

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \""), last = text.find_last_not_of(" \"");
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

bool is_array(Option::Type type) {
  return type == Option::numbers || type == Option::integers || type == Option::texts;
}

std::shared_ptr<TableNode> scalar(Option::Type type, const std::string& text) {
  auto n = std::make_shared<TableNode>();
  char* end = nullptr;
  if (type == Option::boolean) {
    n->kind = Kind::boolean;
    n->boolean = text == "true";
    if (text == "true" || text == "false") return n;
  } else if (type == Option::integer || type == Option::integers) {
    n->kind = Kind::integer;
    n->integer = std::strtoll(text.c_str(), &end, 10);
  } else if (type == Option::number || type == Option::numbers) {
    n->kind = Kind::number;
    n->number = std::strtod(text.c_str(), &end);
  } else {
    n->kind = Kind::string;
    n->text = text;
    return n;
  }
  if (!end || text.empty() || *end) throw std::logic_error("'" + text + "' is not a default of this type");
  return n;
}

// "[1, inf)", with flags for closed ends.
struct Interval {
  double low, high;
  bool with_low, with_high;

  explicit Interval(std::string_view text) : with_low(text.starts_with('[')), with_high(text.ends_with(']')) {
    const auto ends = words_of(text.substr(1, text.size() - 2), ',');
    if (ends.size() != 2) throw std::logic_error("'" + std::string(text) + "' is not an interval");
    low = std::strtod(ends[0].c_str(), nullptr);
    high = std::strtod(ends[1].c_str(), nullptr);
  }
  bool contains(double v) const { return (with_low ? v >= low : v > low) && (with_high ? v <= high : v < high); }
};

std::string range_text(const Option& o) {
  const Interval i(o.values);
  const auto ends = words_of(o.values.substr(1, o.values.size() - 2), ',');
  if (i.low == 0 && !i.with_low && std::isinf(i.high)) return "must be positive";
  if (i.low == 0 && std::isinf(i.high)) return "must not be negative";
  if (std::isinf(i.high)) return std::string("must be ") + (i.with_low ? "at least " : "above ") + ends[0];
  if (i.with_low == i.with_high)
    return "must lie between " + ends[0] + " and " + ends[1] + (i.with_low ? "" : ", both excluded");
  return "must be " + std::string(i.with_low ? "at least " : "above ") + ends[0] + " and " +
         (i.with_high ? "at most " : "below ") + ends[1];
}

void check_number(const Table& table, const Option& o, const TableNode& n) {
  for (const auto& item : n.items) check_number(table, o, *item);
  if (n.kind != Kind::integer && n.kind != Kind::number) return;
  const double v = n.kind == Kind::integer ? static_cast<double>(n.integer) : n.number;
  if (!Interval(o.values).contains(v))
    table.fail(o.name, "'" + std::string(o.name) + "' " + range_text(o) + ", got " + inline_toml(n));
}

bool is_override(const TableNode& n) { return n.place.starts_with("--set"); }

void rename(TableNode& table, std::string_view older, std::string_view name) {
  const auto called = [&](std::string_view key) {
    return std::ranges::find_if(table.entries, [&](const auto& e) { return e.first == key; });
  };
  const auto from = called(older), to = called(name);
  if (from == table.entries.end() || from->second->is_default) return;
  if (to == table.entries.end()) {
    from->first = name;
    return;
  }
  if (!to->second->is_default && is_override(*from->second) == is_override(*to->second))
    throw Error(Exit::usage, from->second->place + ": '" + std::string(older) + "' is an older name of '" +
                                 std::string(name) + "', which is given as well");
  if (to->second->is_default || is_override(*from->second)) to->second = from->second;
  table.entries.erase(from);
}

}  // namespace

std::vector<std::string> words_of(std::string_view list, char separator) {
  std::vector<std::string> words;
  for (std::size_t end = 0; !trimmed(list).empty() && end != std::string_view::npos;) {
    end = list.find(separator);
    words.push_back(trimmed(list.substr(0, end)));
    if (end != std::string_view::npos) list.remove_prefix(end + 1);
  }
  return words;
}

std::size_t place_of_word(const Table& table, std::string_view key, const std::string& word) {
  for (const Options& options : table.descriptions())
    for (const Option& o : options)
      if (o.name == key) {
        const auto words = words_of(o.values);
        return static_cast<std::size_t>(std::ranges::find(words, word) - words.begin());
      }
  throw std::logic_error("key '" + std::string(key) + "' has no description");
}

void take_older_names(TableNode& table, const Option& option) {
  for (const std::string& older : words_of(option.alias, ','))
    if (older.find('=') == std::string::npos) rename(table, older, option.name);
  TableNode* n = table.find(option.name);
  if (!n || n->kind != Kind::string) return;
  for (const std::string& older : words_of(option.alias, ','))
    if (const auto equals = older.find('='); equals != std::string::npos && n->text == older.substr(0, equals))
      n->text = older.substr(equals + 1);
}

std::shared_ptr<TableNode> default_of(const Option& o) {
  if (o.is_required() || o.is_computed() || o.type == Option::table || o.type == Option::tables)
    throw std::logic_error("the description of '" + std::string(o.name) + "' has no default");
  if (!is_array(o.type)) return scalar(o.type, std::string(o.fallback));
  auto n = std::make_shared<TableNode>();
  n->kind = Kind::array;
  if (!o.fallback.starts_with('['))
    throw std::logic_error("the default of '" + std::string(o.name) + "' is not an array");
  for (const auto& word : words_of(o.fallback.substr(1, o.fallback.size() - 2), ','))
    n->items.push_back(scalar(o.type, word));
  return n;
}

void check_value(const Table& table, const Option& o, const TableNode& n) {
  if (o.values.empty() || o.type == Option::table || o.type == Option::tables) return;
  if (o.values == "numbers or formulas" || o.values == "number or formula") return;  // inputs/formula.hpp checks them
  if (o.type != Option::text && o.type != Option::texts) return check_number(table, o, n);
  const auto known = words_of(o.values);
  if (n.kind == Kind::string) require_one_of(table, o.name, n.text, known);
  for (const auto& item : n.items) require_one_of(table, o.name, item->text, known);
}

void require_one_of(const Table& table, std::string_view key, const std::string& value,
                    const std::vector<std::string>& known) {
  if (std::ranges::find(known, value) != known.end()) return;
  std::string list;
  for (const auto& word : known) list += (list.empty() ? "\"" : ", \"") + word + "\"";
  const std::string near = nearest(value, known);
  table.fail(key, "'" + std::string(key) + "' must be one of " + list + ", got \"" + value + "\"" +
                      (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

}  // namespace weir
