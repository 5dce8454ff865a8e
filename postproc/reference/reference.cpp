#include "postproc/reference/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <sstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/find_file.hpp"
#include "postproc/own_file.hpp"

namespace weir {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  if (!cells.empty() && cells.back().ends_with('\r')) cells.back().pop_back();
  return cells;
}

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Entries are compared as numbers if both are numbers ("1000" and "1e3"), otherwise as words.
bool agree(const std::string& a, const std::string& b) {
  const auto x = number(a), y = number(b);
  return x && y ? *x == *y : a == b;
}

[[noreturn]] void fail(const Comparison& c, const std::string& message) {
  throw Error(Exit::usage, fmt::format("published data {}: {}", c.file, message));
}

constexpr Option reference_keys[] = {
    {"file", Option::text, Option::required,
     "name of a CSV file in postproc/reference, or a path (with '/') relative to the case file or the current folder"},
    {"coordinate", Option::text, "x", "name of the column that contains the position"},
    {"column", Option::text, Option::required, "name of the column that contains the value"},
    {"rows", Option::texts, "[]", "conditions \"column=entry\" that select the rows: a row must fulfil all of them"},
    {"nodes", Option::integer, "0",
     "number N of grid intervals, if the positions in the file are rounded values of k / N; 0: the positions are exact",
     "[0, inf)"},
    {"scale", Option::number, "1", "factor a in position = shift + a * (position in the file)"},
    {"shift", Option::number, "0", "offset b in position = b + scale * (position in the file)"},
    {"value_scale", Option::number, "1", "factor a in value = a * (value in the file)"}};

}  // namespace

Options comparison_options() { return reference_keys; }

Comparison read_comparison(const Table& options) {
  const Table t = options.described_by(reference_keys);
  Comparison c;
  c.file = t.get<std::string>("file");
  if (c.file.find('/') != c.file.npos) c.file = find_file(t, "file", "published data");
  c.coordinate = t.get<std::string>("coordinate");
  c.column = t.get<std::string>("column");
  for (const auto& row : t.get<std::vector<std::string>>("rows")) {
    const auto at = row.find('=');
    if (at == row.npos) t.fail("rows", "an entry of 'rows' must have the form \"column=entry\", not \"" + row + "\"");
    c.rows.emplace_back(row.substr(0, at), row.substr(at + 1));
  }
  c.nodes = t.get<int>("nodes");
  c.scale = t.get<double>("scale");
  c.shift = t.get<double>("shift");
  c.value_scale = t.get<double>("value_scale");
  return c;
}

std::string reference_path(const std::string& file) {
  return file.find('/') != file.npos ? file : own_file("postproc/reference/" + file);
}

Profile read_published(const Comparison& c) {
  const std::string path = reference_path(c.file);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) fail(c, "no such file in " + own_file("postproc/reference"));
  std::istringstream file(content_of(path, "table"));
  std::vector<std::string> names;
  const auto column = [&](const std::string& name) {
    const auto at = std::ranges::find(names, name);
    if (at == names.end()) fail(c, fmt::format("no column '{}'; its columns are {}", name, fmt::join(names, ", ")));
    return static_cast<std::size_t>(at - names.begin());
  };
  Profile profile;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> cells = cells_of(line);
    if (names.empty()) {
      names = std::move(cells);
      continue;
    }
    cells.resize(names.size());
    const bool wanted =
        std::ranges::all_of(c.rows, [&](const auto& row) { return agree(cells[column(row.first)], row.second); });
    if (!wanted) continue;
    const auto printed = number(cells[column(c.coordinate)]), value = number(cells[column(c.column)]);
    if (!printed || !value) fail(c, fmt::format("no number in the line '{}'", line));
    const double coordinate = c.nodes > 0 ? std::round(*printed * c.nodes) / c.nodes : *printed;
    profile.position.push_back(c.shift + c.scale * coordinate);
    profile.value.push_back(c.value_scale * *value);
  }
  if (profile.value.empty()) fail(c, "no row fulfils the conditions in 'rows'");
  return profile;
}

Profile read_or_fail(const Table& table, const Comparison& comparison) {
  try {
    return read_published(comparison);
  } catch (const Error& error) {
    table.fail("file", error.what());
  }
}

double max_difference(std::span<const double> computed, std::span<const double> published) {
  double largest = 0;
  for (std::size_t i = 0; i < published.size(); ++i) {
    const double difference = std::abs(computed[i] - published[i]);
    if (std::isnan(difference)) return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, difference);
  }
  return largest;
}

double mean_difference(std::span<const double> computed, std::span<const double> published) {
  double sum = 0;
  for (std::size_t i = 0; i < published.size(); ++i) sum += std::abs(computed[i] - published[i]);
  return sum / static_cast<double>(published.size());
}

}  // namespace weir
