#include "inputs/case.hpp"

#include <stdexcept>

// toml++ 3.3 uses assertions for some malformed texts, which NDEBUG turns into assumptions. Here they throw.
#undef NDEBUG
namespace weir {
struct MalformedToml : std::runtime_error {
  MalformedToml() : std::runtime_error("malformed TOML") {}
};
[[noreturn]] static void malformed_toml() { throw MalformedToml(); }
}  // namespace weir
#define TOML_ASSERT(expression)                \
  do {                                         \
    if (!(expression)) weir::malformed_toml(); \
  } while (false)
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/nearest.hpp"
#include "base/table_node.hpp"

namespace weir {
namespace {

using Kind = TableNode::Kind;
using NodePointer = std::shared_ptr<TableNode>;

// Converts toml++'s tree. `override_place`, if given, replaces every "file:line".
class Reader {
 public:
  Reader(std::string name, std::string override_place = "")
      : name_(std::move(name)), override_place_(std::move(override_place)) {}

  NodePointer table(const toml::table& source, const std::string& path, std::string place) const {
    auto out = std::make_shared<TableNode>();
    out->path = path;
    out->place = std::move(place);
    // toml++ sorts tables by key: restores file order.
    std::vector<std::pair<const toml::key*, const toml::node*>> entries;
    for (const auto& [key, value] : source) entries.emplace_back(&key, &value);
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      const auto &p = a.first->source().begin, &q = b.first->source().begin;
      return p.line != q.line ? p.line < q.line : p.column < q.column;
    });
    for (const auto& [key, value] : entries)
      out->entries.emplace_back(key->str(), node(*value, out->child_path(key->str()), place_of(key->source())));
    return out;
  }

  NodePointer node(const toml::node& source, const std::string& path, const std::string& place) const {
    if (const auto* t = source.as_table()) return table(*t, path, place);
    auto out = std::make_shared<TableNode>();
    out->path = path;
    out->place = place;
    if (override_place_.empty()) out->column = static_cast<int>(source.source().begin.column);
    if (const auto* a = source.as_array()) {
      out->kind = Kind::array;
      for (const auto& item : *a) out->items.push_back(node(item, path, place_of(item.source())));
    } else if (const auto* text = source.as_string()) {
      out->kind = Kind::string;
      out->text = text->get();
    } else if (const auto* integer = source.as_integer()) {
      out->kind = Kind::integer;
      out->integer = integer->get();
    } else if (const auto* number = source.as_floating_point()) {
      out->kind = Kind::number;
      out->number = number->get();
    } else if (const auto* flag = source.as_boolean()) {
      out->kind = Kind::boolean;
      out->boolean = flag->get();
    } else {
      throw Error(Exit::usage,
                  place + ": dates and times are not supported; expected a number, string, array or table");
    }
    return out;
  }

 private:
  std::string place_of(const toml::source_region& region) const {
    return override_place_.empty() ? name_ + ":" + std::to_string(region.begin.line) : override_place_;
  }

  std::string name_, override_place_;
};

// Nested tables are read recursively: limit for keys like a.a.a ... (toml++ limits arrays and inline tables.)
constexpr int deepest = 200;

void refuse_deep_keys(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto end = line.starts_with('[') ? line.size() : std::min(line.find('='), line.size());
    if (std::count(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(end), '.') > deepest)
      throw Error(Exit::usage, name + ":" + std::to_string(number) + ": tables nested more than " +
                                   std::to_string(deepest) + " deep");
  }
}

// The first line at which the text cannot be parsed, for assertions of toml++, which have no position.
std::size_t line_of_assertion(const std::string& text) {
  std::vector<std::size_t> end;  // end of each line
  for (std::size_t at = 0; at < text.size(); at = end.back())
    end.push_back(std::min(text.find('\n', at), text.size() - 1) + 1);
  const auto is_malformed = [&](std::size_t lines_end) {
    try {
      static_cast<void>(toml::parse(std::string_view(text).substr(0, lines_end)));
    } catch (const toml::parse_error&) {  // an array or string continues
    } catch (const MalformedToml&) {
      return true;
    }
    return false;
  };
  const auto first = std::partition_point(end.begin(), end.end(), [&](std::size_t e) { return !is_malformed(e); });
  return std::min(static_cast<std::size_t>(first - end.begin()) + 1, end.size());
}

toml::table parse(const std::string& text, const std::string& name) {
  refuse_deep_keys(text, name);
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& e) {
    throw Error(Exit::usage, name + ":" + std::to_string(e.source().begin.line) + ": " + std::string(e.description()));
  } catch (const MalformedToml&) {
    throw Error(Exit::usage, name + ":" + std::to_string(line_of_assertion(text)) +
                                 ": malformed TOML: a bracket, brace or value is missing or misplaced");
  }
}

// A value in TOML notation. Anything that is not TOML is taken as a string.
NodePointer override_value(const std::string& text, const std::string& path, const std::string& place) {
  try {
    const toml::table parsed = toml::parse("v = " + text);
    if (parsed.size() == 1) return Reader("", place).node(*parsed.get("v"), path, place);
  } catch (const toml::parse_error&) {
  } catch (const MalformedToml&) {
  }
  auto out = std::make_shared<TableNode>();
  out->kind = Kind::string;
  out->text = text;
  out->path = path;
  out->place = place;
  return out;
}

std::vector<std::string> split_path(const std::string& path, const std::string& place) {
  std::vector<std::string> parts;
  std::stringstream stream(path + ".");
  for (std::string part; std::getline(stream, part, '.');) {
    if (part.empty()) throw Error(Exit::usage, place + ": expected a key path such as grid.cells");
    parts.push_back(part);
  }
  if (parts.size() > deepest) throw Error(Exit::usage, place.substr(0, 60) + "...: tables nested too deep");
  return parts;
}

NodePointer& element(TableNode& array, const std::string& index, const std::string& place) {
  const bool is_number = index.find_first_not_of("0123456789") == std::string::npos && index.size() < 10;
  const std::size_t count = array.items.size();
  if (count == 0) throw Error(Exit::usage, place + ": '" + array.path + "' is empty");
  if (!is_number || std::stoul(index) >= count)
    throw Error(Exit::usage, place + ": '" + array.path + "' has no element '" + index + "'; its indices are 0 .. " +
                                 std::to_string(count - 1));
  return array.items[std::stoul(index)];
}

void apply_override(TableNode& root, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error(Exit::usage, "--set " + text + ": expected key.path=value");
  const std::string path = text.substr(0, equals), place = "--set " + path;
  const auto parts = split_path(path, place);
  TableNode* at = &root;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (at->kind == Kind::array) {
      at = element(*at, parts[i], place).get();
    } else if (TableNode* next = at->find(parts[i])) {
      at = next;
    } else {
      auto made = std::make_shared<TableNode>();
      made->path = at->child_path(parts[i]);
      made->place = place;
      at->set(parts[i], made);
      at = made.get();
    }
    if (at->kind != Kind::table && at->kind != Kind::array)
      throw Error(Exit::usage, place + ": '" + parts[i] + "' is " + name_of(at->kind) + ", not a table");
  }
  const NodePointer value = override_value(text.substr(equals + 1), at->child_path(parts.back()), place);
  if (at->kind == Kind::array)
    element(*at, parts.back(), place) = value;
  else
    at->set(parts.back(), value);
}

void remove_key(TableNode& root, const std::string& path) {
  const std::string place = "--unset " + path;
  const auto parts = split_path(path, place);
  TableNode* at = &root;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool is_last = i + 1 == parts.size();
    if (at->kind == Kind::array) {
      NodePointer& item = element(*at, parts[i], place);
      if (is_last) std::erase(at->items, NodePointer(item));
      if (!is_last) at = item.get();
      continue;
    }
    TableNode* next = at->kind == Kind::table ? at->find(parts[i]) : nullptr;
    if (!next) {
      std::vector<std::string> known;
      for (const auto& [key, value] : at->entries) known.push_back(key);
      throw Error(Exit::usage, place + ": the case does not set '" + parts[i] + "'" + did_you_mean(parts[i], known));
    }
    if (is_last) {
      std::erase_if(at->entries, [&](const auto& entry) { return entry.first == parts[i]; });
      at->last_found = 0;
    }
    at = next;
  }
}

}  // namespace

Table read_case_text(const std::string& text, const std::string& name, const std::vector<std::string>& overrides,
                     const std::vector<std::string>& unset) {
  const NodePointer root = Reader(name).table(parse(text, name), "", name + ":1");
  for (const auto& one : unset) remove_key(*root, one);
  for (const auto& one : overrides) apply_override(*root, one);
  return Table(root);
}

Table read_case(const std::string& path, const std::vector<std::string>& overrides,
                const std::vector<std::string>& unset) {
  std::string text;
  try {
    text = content_of(path, "case file");
  } catch (const Error& e) {
    throw Error(Exit::usage, e.what());
  }
  return read_case_text(text, path, overrides, unset);
}

}  // namespace weir
