// Writes a Table as TOML, so that a run can be repeated from its output.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/table.hpp"
#include "base/table_node.hpp"

namespace weir {
namespace {

using Kind = TableNode::Kind;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      constexpr char hex[] = "0123456789abcdef";
      out += "\\u00";
      out += hex[byte >> 4];
      out += hex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

// The shortest text that reads back as the same double.
std::string number_text(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
  std::string text(buffer, end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string key_text(const std::string& key) {
  const bool bare =
      !key.empty() &&
      key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == std::string::npos;
  return bare ? key : quoted(key);
}

bool is_array_of_tables(const TableNode& n) {
  if (n.kind != Kind::array || n.items.empty()) return false;
  for (const auto& item : n.items)
    if (item->kind != Kind::table) return false;
  return true;
}

bool has_section(const TableNode& n) { return n.kind == Kind::table || is_array_of_tables(n); }

// Sections that only a look-up created and that are empty are not written.
bool is_hollow(const TableNode& n) {
  if (n.kind != Kind::table || !n.is_default) return false;
  for (const auto& [key, child] : n.entries)
    if (!is_hollow(*child)) return false;
  return true;
}

void write_section(const TableNode& n, const std::string& path, std::string& out) {
  for (const auto& [key, child] : n.entries)
    if (!has_section(*child)) out += key_text(key) + " = " + inline_toml(*child) + "\n";
  for (const auto& [key, child] : n.entries) {
    if (!has_section(*child) || is_hollow(*child)) continue;
    const std::string name = path.empty() ? key_text(key) : path + "." + key_text(key);
    if (child->kind == Kind::table) {
      out += "\n[" + name + "]\n";
      write_section(*child, name, out);
    }
    for (const auto& item : child->items) {
      out += "\n[[" + name + "]]\n";
      write_section(*item, name, out);
    }
  }
}

std::shared_ptr<TableNode> without_defaults(const TableNode& n) {
  auto out = std::make_shared<TableNode>(n);
  for (auto& item : out->items) item = without_defaults(*item);
  std::erase_if(out->entries, [](const auto& entry) { return entry.second->is_default; });
  for (auto& [key, child] : out->entries) child = without_defaults(*child);
  return out;
}

void mark_read(TableNode& n) {
  n.is_read = true;
  for (const auto& item : n.items) mark_read(*item);
  for (const auto& [key, child] : n.entries) mark_read(*child);
}

void find_changes(const TableNode* now, const TableNode* before, const std::string& path,
                  std::vector<std::string>& changes) {
  const bool is_table = (now ? now : before)->kind == Kind::table && (!now || !before || now->kind == before->kind);
  if (!is_table) {
    const std::string text = now ? inline_toml(*now) : "(default)", was = before ? inline_toml(*before) : "the default";
    if (text != was) changes.push_back(path + " = " + text + " (was " + was + ")");
    return;
  }
  std::vector<std::string> keys;
  for (const TableNode* table : {now, before})
    if (table)
      for (const auto& [key, child] : table->entries)
        if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  for (const std::string& key : keys)
    find_changes(now ? now->find(key) : nullptr, before ? before->find(key) : nullptr,
                 path.empty() ? key_text(key) : path + "." + key_text(key), changes);
}

}  // namespace

std::vector<std::string> Table::changes(const Table& before) const {
  std::vector<std::string> found;
  find_changes(node_.get(), before.node_.get(), "", found);
  return found;
}

std::string inline_toml(const TableNode& n) {
  std::string list;
  switch (n.kind) {
    case Kind::boolean:
      return n.boolean ? "true" : "false";
    case Kind::integer:
      return std::to_string(n.integer);
    case Kind::number:
      return number_text(n.number);
    case Kind::string:
      return quoted(n.text);
    case Kind::array:
      for (const auto& item : n.items) list += (list.empty() ? "" : ", ") + inline_toml(*item);
      return "[" + list + "]";
    case Kind::table:
      for (const auto& [key, child] : n.entries)
        if (!is_hollow(*child)) list += (list.empty() ? "" : ", ") + key_text(key) + " = " + inline_toml(*child);
      return list.empty() ? "{}" : "{ " + list + " }";
  }
  return list;
}

std::string Table::effective() const {
  std::string out;
  write_section(*node_, "", out);
  return out.starts_with('\n') ? out.substr(1) : out;
}

std::string Table::rest() const {
  const auto is_named = [&](const std::string& key) {
    for (const Options& options : described_)
      for (const Option& o : options)
        if (o.name == key) return true;
    return false;
  };
  auto rest = without_defaults(*node_);
  std::erase_if(rest->entries, [&](const auto& entry) { return is_named(entry.first); });
  for (const auto& [key, child] : rest->entries) mark_read(*node_->find(key));
  return Table(rest).effective();
}

std::string Table::given() const { return Table(without_defaults(*node_)).effective(); }

}  // namespace weir
