// weir explain KEY, weir list WHAT.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "base/error.hpp"
#include "base/foreign/optional_library.hpp"
#include "base/nearest.hpp"
#include "base/print.hpp"
#include "base/table_option.hpp"
#include "inputs/case.hpp"
#include "miniapps/cli/lists.hpp"
#include "miniapps/cli/schema.hpp"
#include "miniapps/cli/verbs.hpp"
#include "miniapps/study/select/auto_candidates.hpp"
#include "postproc/own_file.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_in_full = 4;  // keys; more are shown as a table

void explain_in_full(const DescribedKey& k) {
  const Option& o = *k.option;
  const DescribedTable& t = *k.table;
  say("{}{}{}\n  {}\n", k.path(), t.when.empty() ? "" : "   of " + t.when,
      t.readers.empty() ? "" : fmt::format("   ({})", fmt::join(t.readers, ", ")), o.meaning);
  const auto row = [](const char* label, std::string_view text) {
    if (!text.empty()) say("  {:<8} {}\n", label, text);
  };
  row("type", name_of(o.type));
  row("default", default_text(o));
  row("values", o.values);
  row("unit", o.unit);
  row("older", o.alias);
}

void explain_in_rows(const std::vector<DescribedKey>& keys) {
  std::vector<std::array<std::string, 3>> rows;
  for (const DescribedKey& k : keys) {
    std::string of(k.table->when);
    for (const std::string& reader : k.table->readers) of += (of.empty() ? "" : ", ") + reader;
    rows.push_back(
        {k.path() + (of.empty() ? "" : " (" + of + ")"), default_text(*k.option), std::string(k.option->meaning)});
  }
  print_columns(rows);
}

std::vector<std::array<std::string, 3>> words_with_meaning(const Schema& schema, const std::string& key) {
  std::vector<std::array<std::string, 3>> rows;
  for (const DescribedKey& k : schema.find(key))
    for (const std::string& word : words_of(k.option->values)) {
      const std::array<std::string, 3> row{word, fmt::format("{}", fmt::join(k.table->readers, ", ")),
                                           meaning_of_word(*k.option, word)};
      if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
    }
  return rows;
}

std::vector<std::array<std::string, 3>> case_rows() {
  std::vector<std::array<std::string, 3>> rows;
  std::error_code none;
  const fs::path inputs = own_file("inputs");
  for (const auto& file : fs::recursive_directory_iterator(inputs, none))
    if (file.path().extension() == ".toml") {
      const Table t = read_case(file.path().string());
      rows.push_back({file.path().lexically_proximate(inputs.parent_path()).string(),
                      t.table("case").get("miniapp", t.has("map") ? "weir map" : "weir ab"),
                      t.has("study") ? t.table("study").get("title", "") : t.table("case").get("title", "")});
    }
  std::ranges::sort(rows);
  return rows;
}

std::vector<std::array<std::string, 3>> library_rows(const Build& build) {
  std::vector<std::array<std::string, 3>> rows;
  for (const OptionalLibrary& library : optional_libraries()) {
    const auto in_build = build.libraries.find(std::string(library.name));
    const bool is_there = in_build != build.libraries.end();
    rows.push_back({std::string(library.name),
                    !is_there                  ? "missing"
                    : in_build->second.empty() ? "in this build"
                                               : in_build->second,
                    std::string(library.adds) + (is_there ? "" : " (" + brought_by(library) + ")")});
  }
  return rows;
}

std::vector<std::array<std::string, 3>> rows_of(const NamedList& list, const Schema& schema) {
  const std::string what = list.name;
  if (what == "cases") return case_rows();
  std::vector<std::array<std::string, 3>> rows;
  if (what == "methods")
    for (const KrylovDescription* m : krylov_methods())
      rows.push_back({std::string(m->name), "", std::string(m->meaning)});
  else if (what == "preconditioners")
    for (const PreconditionerDescription* m : preconditioners())
      rows.push_back({std::string(m->name), matrices_text(m->matrices), std::string(m->meaning)});
  else if (what == "auto")
    for (const AutoCandidate& c : auto_candidates())
      rows.push_back({c.name, matrices_text(c.matrices), std::regex_replace(c.options, std::regex("\n"), "; ")});
  else if (what == "quantities")
    for (const Quantity& q : schema.results().quantities) rows.push_back({q.name, q.miniapps, meaning_of(q)});
  else if (what != "libraries")  // of the program, not of its keys
    rows = words_with_meaning(schema, list.key);
  return rows;
}

// "; missing in this build: hypre, PETSc": libraries that have a package.
std::string missing_text(const Build& build) {
  std::string names;
  for (const OptionalLibrary& library : optional_libraries())
    if (!library.package.empty() && !build.libraries.contains(std::string(library.name)))
      names += (names.empty() ? "; missing in this build: " : ", ") + std::string(library.name);
  return names;
}

// A word that is not a key: a boundary type, a method, a quantity.
bool explain_word(const Schema& schema, const std::string& word) {
  bool is_known = false;
  for (const NamedList& list : lists())
    for (const auto& row : rows_of(list, schema)) {
      if (row[0] != word) continue;
      fmt::print("{}   one of `weir list {}`{}\n  {}\n", word, list.name, row[1].empty() ? "" : "   (" + row[1] + ")",
                 row[2]);
      is_known = true;
    }
  return is_known;
}

}  // namespace

void print_columns(const std::vector<std::array<std::string, 3>>& rows) {
  std::size_t width[2] = {0, 0};
  for (const auto& row : rows)
    for (std::size_t c = 0; c < 2; ++c) width[c] = std::max(width[c], row[c].size());
  for (const auto& [first, second, third] : rows)
    if (width[1] == 0)
      say("{:<{}}  {}\n", first, width[0], third);
    else
      say("{:<{}}  {:<{}}  {}\n", first, width[0], second, width[1], third);
}

// The meaning of a word in "wall: no slip; slip: no normal velocity".
std::string meaning_of_word(const Option& o, const std::string& word) {
  for (const std::string& part : words_of(o.meaning, ';')) {
    const auto colon = part.find(": ");
    if (colon == std::string::npos) continue;
    for (const std::string& name : words_of(part.substr(0, colon), ','))
      if (name == word) return part.substr(colon + 2);
  }
  return "";
}

const std::vector<NamedList>& lists() {
  static const std::vector<NamedList> all = {
      {"cases", "", "case and study files of Weir"},
      {"methods", "", "Krylov methods (linear.SYSTEM.method)"},
      {"preconditioners", "", "preconditioners (linear.SYSTEM.preconditioner.type)"},
      {"auto", "", "candidates of linear.SYSTEM.method = \"auto\""},
      {"boundaries", "boundary.*.type", "types of boundary conditions"},
      {"quantities", "", "results in run.json, for [check]"},
      {"generators", "mesh.generator.type", "generators of unstructured meshes"},
      {"bodies", "body.type", "shapes of immersed bodies"},
      {"motions", "body.motion.type", "motions of immersed bodies"},
      {"orderings", "ordering.type", "orderings of unstructured cells"},
      {"initial", "flow.initial", "initial flows"},
      {"fields", "output.fields", "fields of the output"},
      {"fluxes", "numerics.flux", "numerical fluxes of the compressible scheme"},
      {"limiters", "numerics.limiter", "limiters of the compressible scheme"},
      {"miniapps", "case.miniapp", "flow solvers"},
      {"libraries", "", "optional libraries and their packages"}};
  return all;
}

int list_what(const Program& program, const std::string& what) {
  std::vector<std::array<std::string, 3>> rows;
  std::vector<std::string> names;
  for (const NamedList& list : lists()) {
    names.push_back(list.name);
    const bool is_of_build = std::string_view(list.name) == "libraries";
    if (what.empty()) rows.push_back({list.name, "", list.meaning + (is_of_build ? missing_text(program.build) : "")});
    if (what == list.name) rows = what == "libraries" ? library_rows(program.build) : rows_of(list, Schema(program));
  }
  if (!what.empty() && std::ranges::find(names, what) == names.end())
    throw Error(Exit::usage, "unknown list '" + what + "'" + did_you_mean(what, names));
  print_columns(rows);
  return 0;
}

int explain_key(const Program& program, const std::string& key) {
  const Schema schema(program);
  const std::vector<DescribedKey> keys = schema.find(key);
  if (keys.empty()) {
    if (explain_word(schema, key)) return 0;
    const std::string near = nearest(key, schema.names_like(key));
    throw Error(Exit::usage, "no key '" + key + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  if (keys.size() > most_in_full)
    explain_in_rows(keys);
  else
    for (const DescribedKey& k : keys) explain_in_full(k);
  return 0;
}

std::string matrices_text(unsigned matrices) {
  if (matrices == on_any_matrix) return "any matrix";
  std::string text;
  for (const MatrixKind& kind : matrix_kinds)
    if (matrices & kind.kind) text += (text.empty() ? "" : ", ") + std::string(kind.name);
  return text;
}

}  // namespace weir
