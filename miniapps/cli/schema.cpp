#include "miniapps/cli/schema.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "miniapps/cli/lists.hpp"
#include "miniapps/study/ab/ab_study.hpp"
#include "miniapps/study/facility.hpp"
#include "miniapps/study/map/map_study.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts(1);
  for (const char c : path) c == '.' ? (void)parts.emplace_back() : parts.back().push_back(c);
  return parts;
}

bool agree(const std::string& described, const std::string& asked) {
  return is_any_name(described) || fnmatch(asked.c_str(), described.c_str(), 0) == 0;
}

// Whether the path has the parts `asked` from its part `at` on.
bool begins(const std::vector<std::string>& path, const std::vector<std::string>& asked, std::size_t at = 0) {
  if (at + asked.size() > path.size()) return false;
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (!agree(path[at + i], asked[i])) return false;
  return true;
}

Options type_of_preconditioner() {
  static std::string names;
  if (names.empty())
    for (const PreconditionerDescription* m : preconditioners())
      names += (names.empty() ? "" : " | ") + std::string(m->name);
  static const Option keys[] = {{"type", Option::text, "depends on the system",
                                 "type of the preconditioner, see `weir list preconditioners`", names}};
  return keys;
}

}  // namespace

bool is_any_name(const std::string& part) { return part.size() > 1 && part[0] >= 'A' && part[0] <= 'Z'; }

bool is_list_of_tables(const std::string& name) {
  return name == "probe" || name == "surface" || name == "history_reference";
}

std::string DescribedTable::title() const {
  std::string text = is_list_of_tables(path) ? "[[" + path + "]]" : "[" + path + "]";
  if (!when.empty()) text += " " + when;
  return readers.empty() ? text : text + fmt::format(" ({})", fmt::join(readers, ", "));
}

Schema::Schema(const Program& program) : results_(results_of(program)) {
  for (const KeyTable& t : run_keys()) add(t, "");
  for (const Miniapp& m : program.miniapps)
    if (m.keys)
      for (const KeyTable& t : m.keys()) add(t, m.name);
  for (const KeyTable& t : lab_keys()) add(t, "");
  add({"linear.SYSTEM", "", linear_solver_options()}, "");
  for (const KrylovDescription* m : krylov_methods()) add({"linear.SYSTEM", m->name, m->options}, "");
  add({"linear.SYSTEM.preconditioner", "", type_of_preconditioner()}, "");
  for (const PreconditionerDescription* m : preconditioners())
    add({"linear.SYSTEM.preconditioner", m->name, m->options}, "");
  for (const KeyTable& t : ab_keys()) add(t, "weir ab");
  for (const KeyTable& t : map_keys()) add(t, "weir map");
  for (DescribedTable& t : tables_)
    if (t.readers.size() == program.miniapps.size()) t.readers.clear();
}

void Schema::add(const KeyTable& t, const std::string& reader) {
  if (t.keys.empty()) return;
  const auto known = std::ranges::find_if(tables_, [&](const DescribedTable& d) {
    return d.path == t.path && d.when == t.when && d.keys.data() == t.keys.data();
  });
  if (known == tables_.end())
    tables_.push_back({std::string(t.path), reader.empty() ? std::vector<std::string>{} : std::vector{reader},
                       std::string(t.when), t.keys});
  else if (!reader.empty() && std::ranges::find(known->readers, reader) == known->readers.end())
    known->readers.push_back(reader);
  for (const Option& o : t.keys)
    if (o.inside) {
      const std::string path = std::string(t.path) + "." + std::string(o.name);
      add({path, t.when, o.inside()}, reader);
    }
}

std::vector<DescribedKey> Schema::find(std::string_view pattern) const {
  const auto asked = parts_of(pattern);
  std::vector<DescribedKey> exact, below, anywhere;
  for (const DescribedTable& t : tables_)
    for (const Option& o : t.keys) {
      auto path = parts_of(t.path);
      path.push_back(std::string(o.name));
      if (begins(path, asked)) (path.size() == asked.size() ? exact : below).push_back({&t, &o});
      const std::size_t at = path.size() - std::min(path.size(), asked.size());
      if (!is_any_name(path.back()) && begins(path, asked, at)) anywhere.push_back({&t, &o});
    }
  if (!exact.empty() && below.empty()) return exact;
  exact.insert(exact.end(), below.begin(), below.end());
  if (exact.empty() && anywhere.empty() && asked.size() > 2 &&
      (asked[0] == "shadow" || asked[0] == "relay" || asked[0] == "select"))
    return find("linear" + std::string(pattern.substr(asked[0].size())));  // [shadow.NAME] has the same keys
  if (exact.empty() && anywhere.empty() && asked.size() > 4)  // a preconditioner in a preconditioner: smoother, inner
    for (const DescribedKey& outer : find(pattern.substr(0, pattern.rfind('.'))))
      if (outer.option->type == Option::table && outer.option->values == "preconditioner")
        return find("linear.SYSTEM.preconditioner" + std::string(pattern.substr(pattern.rfind('.'))));
  return exact.empty() ? anywhere : exact;
}

bool Schema::is_at(const DescribedKey& key, std::string_view path) {
  const auto described = parts_of(key.path()), asked = parts_of(path);
  return described.size() == asked.size() && begins(described, asked);
}

bool Schema::is_above(const DescribedTable& table, std::string_view path) {
  return begins(parts_of(table.path), parts_of(path));
}

std::vector<std::string> Schema::names_like(std::string_view pattern) const {
  const auto asked = parts_of(pattern);
  std::vector<std::string> all;
  for (const DescribedTable& t : tables_) {
    std::string table;
    const auto parts = parts_of(t.path);
    for (std::size_t i = 0; i < parts.size(); ++i)
      table += (i ? "." : "") + (is_any_name(parts[i]) && i < asked.size() ? asked[i] : parts[i]);
    all.push_back(table);
    for (const Option& o : t.keys) {
      all.push_back(table + "." + std::string(o.name));
      if (asked.size() == 1) all.emplace_back(o.name);
    }
  }
  return all;
}

std::string Schema::whose_table(const Table& config, const std::string& name) const {
  std::vector<std::pair<std::string, std::string>> owners;  // readers, and when
  std::vector<std::string> known, texts;
  for (const DescribedTable& t : tables_) {
    if (t.path != name || t.readers.empty()) continue;
    const auto readers = fmt::format("{}", fmt::join(t.readers, " and "));
    const auto owner = std::ranges::find(owners, readers, [](const auto& o) { return o.first; });
    if (owner == owners.end())
      owners.emplace_back(readers, t.when);
    else if (t.when.empty())
      owner->second.clear();
    for (const Option& o : t.keys) known.emplace_back(o.name);
  }
  if (owners.empty()) return {};
  for (const auto& [readers, when] : owners) texts.push_back(readers + (when.empty() ? "" : " with " + when));
  const std::string belongs = fmt::format("[{}] belongs to {}", name, fmt::join(texts, ", or to "));
  if (config.is_table(name)) {
    const Table table = config.table(name);
    for (const std::string& key : table.keys())
      if (std::ranges::find(known, key) == known.end())
        return fmt::format("{}: unknown key '{}' ({}){}", table.where(key), key, belongs, did_you_mean(key, known));
  }
  return fmt::format("{}: unknown key '{}': {}", config.where(name), name, belongs);
}

const char* name_of(Option::Type type) {
  constexpr const char* names[] = {"true or false",    "integer",           "number",         "text",
                                   "array of numbers", "array of integers", "array of texts", "table",
                                   "array of tables"};
  return names[type];
}

std::string default_text(const Option& o) {
  if (o.is_required()) return "required";
  if (o.fallback.starts_with("depends: ")) return std::string(o.fallback.substr(9));
  if (o.is_computed()) return std::string(o.fallback);
  if (o.type == Option::table || o.type == Option::tables) return "none";
  if (o.type != Option::text) return std::string(o.fallback);
  return '"' + std::string(o.fallback) + '"';
}

}  // namespace weir
