#include "miniapps/study/capture/capsule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "miniapps/study/capture/client_capture.hpp"
#include "postproc/run/sealed_file.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

const SealedFormat& capsule_format() {
  static const SealedFormat format{"capsule", capsule_schema, true};
  return format;
}
const SealedFormat& pattern_format() {
  static const SealedFormat format{"pattern", capsule_schema, true};
  return format;
}

// Hash of the content, not of the file: equal patterns have the same name in every run.
std::uint64_t pattern_hash(const Capsule& c) {
  Hash64 hash;
  hash.add(c.A.kind);
  for (const auto& [name, values] : c.A.pattern.integers) {
    hash.add(name);
    hash.add(std::span<const std::int64_t>(values));
  }
  for (const auto& [name, values] : c.A.pattern.doubles) {
    hash.add(name);
    hash.add(std::span<const double>(values));
  }
  for (const std::string& name : c.variables) hash.add(name);
  hash.add(std::span<const double>(c.places));
  return hash.value();
}

void add_numbers(SealedContent& to, const std::string& prefix, const NamedNumbers& from) {
  for (const auto& [name, values] : from.doubles) to.doubles.emplace_back(prefix + name, values);
  for (const auto& [name, values] : from.integers) to.integer_arrays.emplace_back(prefix + name, values);
}

// Moves the arrays whose names start with the prefix out of the file.
NamedNumbers take_numbers(SealedFile& from, const std::string& prefix) {
  NamedNumbers taken;
  for (auto& [name, values] : from.doubles)
    if (name.starts_with(prefix)) taken.add(name.substr(prefix.size()), std::move(values));
  for (auto& [name, values] : from.integer_arrays)
    if (name.starts_with(prefix)) taken.add(name.substr(prefix.size()), std::move(values));
  return taken;
}

std::vector<double> take(SealedFile& from, const std::string& name) {
  for (auto& [key, values] : from.doubles)
    if (key == name) return std::move(values);
  fail_to_read(from.path, "lacks '" + name + "'");
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::int64_t write_pattern(const std::string& path, const Capsule& c) {
  SealedContent content;
  const std::string variables = fmt::format("{}", fmt::join(c.variables, " "));
  content.texts = {{"kind", c.A.kind}, {"variables", variables}};
  add_numbers(content, "", c.A.pattern);
  content.doubles.emplace_back("places", c.places);
  write_sealed_file(path, pattern_format(), content);
  return static_cast<std::int64_t>(fs::file_size(path));
}

void read_pattern(const std::string& path, std::uint64_t hash, Capsule& c) {
  if (!fs::exists(path))
    fail_to_read(c.path, "its pattern " + fs::path(path).filename().string() + " is missing in the same folder");
  SealedFile file = read_sealed_file(path, pattern_format());
  c.A.kind = file.text("kind");
  c.variables = split(file.text("variables"));
  c.places = take(file, "places");
  std::erase_if(file.doubles, [](const auto& entry) { return entry.first == "places"; });
  c.A.pattern = take_numbers(file, "");
  if (pattern_hash(c) != hash) fail_to_read(path, "differs from the pattern of " + c.path);
}

// The numbers of a result in a fixed order.
std::vector<double> packed(const SolveResult& r) {
  return {static_cast<double>(r.iterations),
          static_cast<double>(r.reason),
          r.residual0,
          r.residual,
          r.true_residual,
          r.apply_seconds,
          r.spmv_seconds,
          r.reduce_seconds,
          r.solve_seconds};
}
SolveResult unpacked(const std::vector<double>& v, const std::string& path) {
  const auto is_count = [](double x, double most) { return x >= 0 && x <= most; };
  if (v.size() != 9 || !is_count(v[0], 1e9) || !is_count(v[1], static_cast<double>(Reason::not_finite)))
    fail_to_read(path, "its result is incomplete");
  SolveResult r;
  r.iterations = static_cast<int>(v[0]);
  r.reason = static_cast<Reason>(static_cast<int>(v[1]));
  r.residual0 = v[2], r.residual = v[3], r.true_residual = v[4];
  r.apply_seconds = v[5], r.spmv_seconds = v[6], r.reduce_seconds = v[7], r.solve_seconds = v[8];
  return r;
}

// Numbers that older files lack.
template <class AnyCapsule, class Visit>
void for_each_later_number(AnyCapsule& c, const Visit& visit) {
  visit("nonlinear_residual", c.origin.nonlinear_residual);
  if (!c.reference.result) return;
  visit("tolerance", c.reference.result->tolerance);
  visit("target", c.reference.result->target);
}

// The named fields of a capsule's file: visit(name, field) for each, to write and to read them.
template <class AnyCapsule, class Visit>
void for_each_integer(AnyCapsule& c, const Visit& visit) {
  visit("part", c.origin.part);
  visit("step", c.origin.step);
  visit("solve", c.origin.solve);
  visit("threads", c.origin.threads);
  visit("config_hash", c.origin.config_hash);
  visit("state_hash", c.origin.state_hash);
  visit("preconditioner_age", c.reference.age);
  visit("matrix_free", c.reference.is_matrix_free);
}
template <class AnyCapsule, class Visit>
void for_each_number(AnyCapsule& c, const Visit& visit) {
  visit("time", c.origin.time);
  visit("dt", c.origin.dt);
  visit("cfl", c.origin.cfl);
  visit("default_tolerance", c.reference.default_tolerance);
}
template <class AnyCapsule, class Visit>
void for_each_text(AnyCapsule& c, const Visit& visit) {
  visit("miniapp", c.origin.miniapp);
  visit("name", c.origin.name);
  visit("version", c.origin.version);
  visit("config", c.origin.config);
  visit("space", c.origin.space);
  visit("system", c.origin.system);
  visit("trigger", c.origin.trigger);
  visit("ordering", c.origin.ordering);
  visit("leader", c.reference.name);
  visit("leader_description", c.reference.description);
  visit("leader_options", c.reference.options);
  visit("default_method", c.reference.default_method);
  visit("default_preconditioner", c.reference.default_preconditioner);
}

SealedContent content_of(const Capsule& c) {
  SealedContent content;
  for_each_integer(
      c, [&](const char* name, auto value) { content.integers.emplace_back(name, static_cast<std::int64_t>(value)); });
  content.integers.emplace_back("pattern_hash", static_cast<std::int64_t>(pattern_hash(c)));
  const auto add_number = [&](const char* name, double value) { content.numbers.emplace_back(name, value); };
  for_each_number(c, add_number);
  for_each_later_number(c, add_number);
  for_each_text(c, [&](const char* name, const std::string& text) { content.texts.emplace_back(name, text); });
  add_numbers(content, "A.", c.A.values);
  if (c.prepared) add_numbers(content, "prepared.", *c.prepared);
  content.doubles.emplace_back("b", c.b);
  content.doubles.emplace_back("x0", c.x0);
  if (!c.x.empty()) content.doubles.emplace_back("x", c.x);
  content.doubles.emplace_back("lifetime", c.reference.lifetime);
  for (const auto& [name, values] : c.state) content.doubles.emplace_back("state." + name, values);
  if (c.origin.ranks > 1) {
    content.integers.emplace_back("ranks", c.origin.ranks);
    content.integers.emplace_back("depends_on_ranks", c.reference.depends_on_ranks);
    content.texts.emplace_back("partition", c.origin.partition);
  }
  return content;
}

// Files of one rank, and older files, lack the three fields of ranks.
void read_content(const SealedFile& file, Capsule& c) {
  for_each_integer(c, [&](const char* name, auto& value) {
    value = static_cast<std::remove_reference_t<decltype(value)>>(file.integer(name));
  });
  for_each_number(c, [&](const char* name, double& value) { value = file.number(name); });
  for_each_text(c, [&](const char* name, std::string& text) { text = file.text(name); });
  for (const auto& [name, value] : file.integers)
    if (name == "ranks") c.origin.ranks = value;
  if (c.origin.ranks == 1) return;
  c.origin.partition = file.text("partition");
  c.reference.depends_on_ranks = file.integer("depends_on_ranks") != 0;
}

bool begins_with(const std::string& path, const std::string& word) {
  std::ifstream file(path, std::ios::binary);
  std::string head(word.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return file && head == word;
}

}  // namespace

bool capsules_available() { return sealed_files_available(); }

std::string capsule_name(const CapsuleOrigin& o) {
  return fmt::format("{}{}_{:08}_{}.h5", o.system, o.part > 0 ? fmt::format("_{}", o.part) : "", o.step, o.solve);
}

std::string pattern_name(const Capsule& c) { return "pattern_" + hex(pattern_hash(c)) + ".h5"; }

std::vector<std::string> captured_systems(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    if (!fs::is_directory(name)) {
      if (!is_pattern(name)) files.push_back(name);
      continue;
    }
    const fs::path inside = fs::path(name) / "capsules";
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(fs::is_directory(inside) ? inside : fs::path(name)))
      if (is_capsule(entry.path().string())) found.push_back(entry.path().string());
    if (found.empty()) throw Error(Exit::file_io, name + ": contains no captured system");
    std::ranges::sort(found);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

std::int64_t write_capsule(const std::string& folder, const Capsule& c) {
  const std::string pattern = (fs::path(folder) / pattern_name(c)).string();
  std::int64_t bytes = fs::exists(pattern) ? 0 : write_pattern(pattern, c);
  const std::string path = (fs::path(folder) / capsule_name(c.origin)).string();
  SealedContent content = content_of(c);
  std::vector<double> result;
  if (c.reference.result) {
    result = packed(*c.reference.result);
    content.doubles.emplace_back("result", result);
  }
  write_sealed_file(path, capsule_format(), content);
  return bytes + static_cast<std::int64_t>(fs::file_size(path));
}

Capsule read_capsule(const std::string& path) {
  if (is_client_capture(path)) return read_client_capture(path);
  SealedFile file = read_sealed_file(path, capsule_format());
  Capsule c;
  c.path = path;
  read_content(file, c);
  const auto hash = static_cast<std::uint64_t>(file.integer("pattern_hash"));
  read_pattern((fs::path(path).parent_path() / ("pattern_" + hex(hash) + ".h5")).string(), hash, c);
  c.A.values = take_numbers(file, "A.");
  if (NamedNumbers prepared = take_numbers(file, "prepared."); !prepared.doubles.empty())
    c.prepared = std::move(prepared);
  c.state = take_numbers(file, "state.").doubles;
  c.b = take(file, "b");
  c.x0 = take(file, "x0");
  c.reference.lifetime = take(file, "lifetime");
  for (const auto& [name, values] : file.doubles)
    if (name == "result") c.reference.result = unpacked(values, path);
  for (auto& [name, values] : file.doubles)
    if (name == "x") c.x = std::move(values);
  for_each_later_number(c, [&](const char* name, double& value) {
    for (const auto& [key, stored] : file.numbers)
      if (key == name) value = stored;
  });
  if (!c.x.empty() && c.x.size() != c.b.size()) fail_to_read(path, "its b and x differ in size");
  if (c.b.size() != c.x0.size()) fail_to_read(path, "its b and x0 differ in size");
  return c;
}

bool is_capsule(const std::string& path) {
  return begins_with(path, capsule_format().first_word()) || is_client_capture(path);
}
bool is_pattern(const std::string& path) {
  return begins_with(path, pattern_format().first_word()) || is_client_pattern(path);
}

}  // namespace weir
