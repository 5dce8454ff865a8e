// weir reference: the pages of docs/reference and the JSON schema of the case file, from the descriptions that `weir
// explain` shows. The pages are committed, and a test compares them.
#include <fmt/format.h>

#include <filesystem>
#include <list>
#include <map>
#include <nlohmann/json.hpp>

#include "base/table_option.hpp"
#include "miniapps/cli/lists.hpp"
#include "miniapps/cli/schema.hpp"
#include "miniapps/cli/verbs.hpp"
#include "miniapps/study/select/auto_candidates.hpp"
#include "postproc/run/write_aside.hpp"
#include "solvers/preconditioner/preconditioner.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

using Json = nlohmann::ordered_json;

std::string escaped(std::string_view text) {  // a cell of a Markdown table
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '<') out += '\\';
    out += c;
  }
  return out;
}

constexpr const char* index = R"(<!-- Written by `weir reference`: do not edit. -->
# Reference
- [Command line](command_line.md): verbs and their options
- [Keys of the case file](keys.md), and [weir.schema.json](weir.schema.json) for editors
- [Boundary conditions](boundaries.md)
- [Linear solvers](solvers.md): methods, preconditioners, which matrices they take
- [Headers of the library](api.md), written by `tests/tree/api.py`
- [Quantities and exit codes](results.md)

`weir list`, `weir explain KEY` and `weir VERB --help` show the same in the terminal.
)";

constexpr const char* made = "<!-- Written by `weir reference`: do not edit. -->\n";

// "basis, single=float" (Option::alias) in words.
std::string older_names(std::string_view alias) {
  std::vector<std::string> names;
  for (const std::string& older : words_of(alias, ','))
    names.push_back(older.find('=') == std::string::npos
                        ? fmt::format("key `{}`", older)
                        : fmt::format("value `\"{}\"`", older.substr(0, older.find('='))));
  return fmt::format(" (older names: {})", fmt::join(names, ", "));
}

std::string table_of_keys(Options keys) {
  std::string text = "| key | type | default | meaning | values | unit |\n|---|---|---|---|---|---|\n";
  for (const Option& o : keys) {
    std::string meaning = escaped(o.meaning);
    if (!o.alias.empty()) meaning += older_names(o.alias);
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", o.name, name_of(o.type), escaped(default_text(o)),
                        meaning, escaped(o.values), escaped(o.unit));
  }
  return text + "\n";
}

std::string keys_page(const Schema& schema) {
  std::string text =
      std::string(made) +
      "# Keys of the case file\n\nCases are TOML files. Names in capitals stand for any name. `weir explain KEY` shows "
      "the same in the terminal; editors can use [weir.schema.json](weir.schema.json).\n\n";
  for (const DescribedTable& t : schema.tables())
    if (!t.path.starts_with("linear.")) text += "## " + t.title() + "\n" + table_of_keys(t.keys);
  return text;
}

// Preconditioners without an application run as `method` only, on one rank (LinearSolver::spread_over_ranks).
bool runs_on_one_rank(const PreconditionerDescription& p) {
  return p.options.empty() && p.make_host(Table())->traits().is_method_alone;
}

std::string solvers_page(const Schema& schema) {
  std::string text = std::string(made) +
                     "# Linear solvers\n\n`[linear.SYSTEM]` and `[shadow.NAME]` have a method and a preconditioner. A "
                     "preconditioner can also be the `method`.\n\n## Methods\n| method | meaning | needs a symmetric "
                     "matrix | flexible | source |\n|---|---|---|---|---|\n";
  for (const KrylovDescription* m : krylov_methods())
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", m->name, escaped(m->meaning), m->needs_symmetry ? "yes" : "",
                        m->is_flexible ? "yes" : "", escaped(m->citation));
  text +=
      "\n## Preconditioners and matrices\nx: supported, also over ranks; r: over ranks gathered and solved on the root "
      "rank; 1: on one rank only.\n\n"
      "| preconditioner |";
  for (const MatrixKind& kind : matrix_kinds) text += fmt::format(" {} |", kind.name);
  text += " meaning | source |\n|---|";
  for (std::size_t i = 0; i < std::size(matrix_kinds) + 2; ++i) text += "---|";
  text += "\n";
  for (const PreconditionerDescription* p : preconditioners()) {
    text += fmt::format("| `{}` |", p->name);
    for (const MatrixKind& kind : matrix_kinds)
      text += !(p->matrices & kind.kind)  ? "  |"
              : runs_on_one_rank(*p)      ? " 1 |"
              : p->over_ranks & kind.kind ? " x |"
                                          : " r |";
    text += fmt::format(" {} | {} |\n", escaped(p->meaning), escaped(p->citation));
  }
  text += "\n## Candidates of `method = \"auto\"`\n| name | matrices |\n|---|---|\n";
  for (const AutoCandidate& c : auto_candidates())
    text += fmt::format("| `{}` | {} |\n", c.name, matrices_text(c.matrices));
  text += "\nMatrices: ";
  for (const MatrixKind& kind : matrix_kinds)
    text += fmt::format("{}{}: {}", &kind == matrix_kinds ? "" : "; ", kind.name, kind.meaning);
  text += ".\n\n";
  for (const DescribedTable& t : schema.tables())
    if (t.path.starts_with("linear.")) text += "## " + t.title() + "\n" + table_of_keys(t.keys);
  return text;
}

std::string boundaries_page(const Schema& schema) {
  std::string text = std::string(made) + "# Boundary conditions\n\n";
  for (const DescribedTable& t : schema.tables()) {
    if (!t.path.starts_with("boundary.") || !t.when.empty() || t.keys.front().name != "type") continue;
    text += fmt::format("## {}\n| type | meaning | keys |\n|---|---|---|\n", fmt::join(t.readers, ", "));
    for (const std::string& word : words_of(t.keys.front().values)) {
      std::string keys;
      for (const DescribedTable& own : schema.tables())
        if (own.path == t.path && !own.when.empty())
          for (const std::string& name : words_of(own.when, ','))
            if (name == word)
              for (const Option& o : own.keys) keys += fmt::format("{}`{}`", keys.empty() ? "" : ", ", o.name);
      text += fmt::format("| `{}` | {} | {} |\n", word, escaped(meaning_of_word(t.keys.front(), word)), keys);
    }
    text += "\n";
  }
  return text + "Meaning of the keys: [keys](keys.md).\n";
}

std::string results_page(const Results& results) {
  std::string text = std::string(made) +
                     "# Quantities and exit codes\n\nQuantities are in `run.json`, and `[check]` compares them with "
                     "expected values.\n\n"
                     "| quantity | miniapp | meaning |\n|---|---|---|\n";
  for (const Quantity& q : results.quantities)
    text += fmt::format("| `{}` | {} | {} |\n", q.name, q.miniapps, escaped(meaning_of(q)));
  text +=
      "\n## history.csv\nValues that were not measured are empty.\n\n| columns | miniapp | meaning |\n|---|---|---|\n";
  for (const Quantity& q : results.columns)
    text += fmt::format("| `{}` | {} | {} |\n", q.name, q.miniapps, escaped(meaning_of(q)));
  text += "\n## solves.csv\n| columns | meaning |\n|---|---|\n";
  for (const auto& [names, meaning] : solves_columns()) text += fmt::format("| `{}` | {} |\n", names, escaped(meaning));
  text += "\n## Exit codes\n| code | meaning |\n|---|---|\n";
  for (const ExitCode& e : exit_codes()) text += fmt::format("| {} | {} |\n", e.code, e.meaning);
  return text + "| 128+n | signal n |\n";
}

Json json_of(const Option& o) {
  static const std::map<Option::Type, const char*> types = {
      {Option::boolean, "boolean"}, {Option::integer, "integer"}, {Option::number, "number"}, {Option::text, "string"}};
  static const std::map<Option::Type, Option::Type> items = {
      {Option::numbers, Option::number}, {Option::integers, Option::integer}, {Option::texts, Option::text}};
  Json j;
  if (o.values.ends_with("formula") || o.values.ends_with("formulas")) {
    j["type"] = {"number", "string", "array"};
  } else if (o.values == "pairs of numbers") {
    j["type"] = "array";
  } else if (const auto item = items.find(o.type); item != items.end()) {
    Option one = o;
    one.type = item->second;
    one.meaning = one.fallback = {};
    j = {{"type", "array"}, {"items", json_of(one)}};
  } else if (const auto type = types.find(o.type); type != types.end()) {
    j["type"] = type->second;
    if (o.type == Option::text)
      for (const std::string& word : words_of(o.values)) j["enum"].push_back(word);
  } else {
    j["type"] = "object";
  }
  if (!o.meaning.empty())
    j["description"] = std::string(o.meaning) + (o.unit.empty() ? "" : " [" + std::string(o.unit) + "]");
  if (!o.fallback.empty() && !o.is_required() && !o.is_computed()) j["default"] = std::string(o.fallback);
  return j;
}

// The nested tables; "*" stands for any name.
struct SchemaNode {
  std::vector<std::pair<std::string, std::vector<const Option*>>> keys;
  std::list<std::pair<std::string, SchemaNode>> inside;  // std::list allows an incomplete type
};

template <class List>
auto& entry(List& list, const std::string& name) {
  for (auto& [key, value] : list)
    if (key == name) return value;
  return list.emplace_back(name, typename List::value_type::second_type{}).second;
}

SchemaNode schema_tree(const Schema& schema) {
  SchemaNode root;
  for (const DescribedTable& t : schema.tables()) {
    SchemaNode* at = &root;
    for (const std::string& part : words_of(t.path, '.')) at = &entry(at->inside, is_any_name(part) ? "*" : part);
    for (const Option& o : t.keys) {
      const std::string name(o.name);
      entry(at->keys, is_any_name(name) ? "*" : name).push_back(&o);
    }
  }
  return root;
}

Json object_of(const SchemaNode& node) {
  Json j = {{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
  const auto add = [&](const std::string& name,
                       const Json& more) {  // keys with several descriptions may have any of their forms
    Json& known = j["properties"][name];
    if (known.is_null()) {
      known = more;
    } else if (known != more) {
      if (!known.contains("anyOf")) known = Json{{"anyOf", Json::array({known})}};
      if (std::find(known["anyOf"].begin(), known["anyOf"].end(), more) == known["anyOf"].end())
        known["anyOf"].push_back(more);
    }
  };
  for (const auto& [name, options] : node.keys)
    for (const Option* o : options)
      if (name == "*")
        j["additionalProperties"] = true;
      else if (o->type != Option::table && o->type != Option::tables)
        add(name, json_of(*o));
  for (const auto& [name, child] : node.inside) {
    const Json object = object_of(child);
    if (name == "*") {
      j["additionalProperties"] = object;
      continue;
    }
    bool is_list = is_list_of_tables(name);
    for (const auto& [key, options] : node.keys)
      if (key == name) is_list = is_list || options.front()->type == Option::tables;
    const bool is_either = name == "motion" || name == "body";  // a table, or a list of them
    if (is_list || is_either) add(name, {{"type", "array"}, {"items", {{"anyOf", {object, {{"type", "string"}}}}}}});
    if (!is_list || is_either) add(name, object);
  }
  return j;
}

std::string json_schema(const Schema& schema) {
  Json root = {{"$schema", "http://json-schema.org/draft-07/schema#"},
               {"title", "Weir case file"},
               {"description", "Written by `weir reference`: do not edit."}};
  root.update(object_of(schema_tree(schema)));
  return root.dump(1) + "\n";
}

}  // namespace

int write_reference(const Program& program, const std::string& folder, const std::string& help) {
  const Schema schema(program);
  const std::map<std::string, std::string> pages = {
      {"README.md", index},
      {"command_line.md", fmt::format("{}# Command line\n```\n{}```\n", made, help)},
      {"keys.md", keys_page(schema)},
      {"solvers.md", solvers_page(schema)},
      {"boundaries.md", boundaries_page(schema)},
      {"results.md", results_page(schema.results())},
      {"weir.schema.json", json_schema(schema)}};
  for (const auto& [name, text] : pages) write_text_aside((std::filesystem::path(folder) / name).string(), text);
  return 0;
}

}  // namespace weir
