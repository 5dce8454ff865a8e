#include "postproc/fields/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/error.hpp"
#include "base/files.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

constexpr Option probe_keys[] = {
    {"name", Option::text, Option::required, "name of the output file probes/NAME.csv"},
    {"from", Option::numbers, Option::required, "start point of the line; 2D: [x, y]", "", "length"},
    {"to", Option::numbers, Option::required, "end point of the line", "", "length"},
    {"points", Option::integer, Option::required, "number of points on the line, ends included", "[2, 1000000]"},
    {"fields", Option::texts, Option::required,
     "sampled fields: u, v, w, p; compressible: u, v, p, mach, density, entropy, cp, temperature"},
    {"reference", Option::table, "",
     "published data; the largest difference from them is reported as the quantity error_NAME, the mean difference as "
     "mean_error_NAME",
     "", "", "", comparison_options},
    {"crossing", Option::number, "depends: none",
     "value of the first of the fields; the distance from `from` at which the field first crosses it is reported as "
     "the "
     "quantity position_NAME"}};
constexpr Option field_keys[] = {{"field", Option::text, "depends on the probe: the first of its fields",
                                  "field to compare with the published data"}};
constexpr Option history_keys[] = {
    {"quantity", Option::text, Option::required, "column of history.csv that is compared with published data"},
    {"reference", Option::table, "", "published data, drawn in the plot of the column", "", "", "",
     comparison_options}};

struct Stencil {
  int first = 0, count = 0;
  std::array<double, 4> weight{};
};

Stencil cubic_stencil(const std::vector<double>& nodes, double x) {
  const int n = static_cast<int>(nodes.size());
  const int right = static_cast<int>(std::ranges::upper_bound(nodes, x) - nodes.begin());
  Stencil s;
  s.count = std::min(n, 4);
  s.first = std::clamp(right - 2, 0, n - s.count);
  const double* at = nodes.data() + s.first;
  for (int i = 0; i < s.count; ++i) {
    double weight = 1;  // exactly 1 at node i and 0 for the others, so that there is no rounding at a node
    for (int j = 0; j < s.count; ++j)
      if (j != i) weight *= (x - at[j]) / (at[i] - at[j]);
    s.weight[i] = weight;
  }
  return s;
}

const SampledField& field_named(std::span<const SampledField> fields, const std::string& name) {
  for (const SampledField& field : fields)
    if (field.name == name) return field;
  throw Error(Exit::internal, "no field '" + name + "' for a probe");
}

ProbePoint read_point(const Table& table, const char* key, const Box& box) {
  std::vector<double> given = table.get<std::vector<double>>(key);
  if (given.size() == 2) given.push_back(0.5 * (box.low[2] + box.high[2]));
  if (given.size() != 3) table.fail(key, fmt::format("'{}' must have 2 or 3 coordinates", key));
  ProbePoint point{};
  for (std::size_t d = 0; d < 3; ++d) {
    const double slack = 1e-12 * (box.high[d] - box.low[d]);  // decimals of a case file against sums of widths
    if (!(given[d] >= box.low[d] - slack && given[d] <= box.high[d] + slack))
      table.fail(key, fmt::format("'{}' lies outside the domain: {} = {} is not in [{}, {}]", key, "xyz"[d], given[d],
                                  box.low[d], box.high[d]));
    point[d] = std::clamp(given[d], box.low[d], box.high[d]);
  }
  return point;
}

void check_range(const Table& table, const Probe& probe) {
  const Profile published = read_or_fail(table, *probe.reference);
  const double low = std::min(probe.from[probe.direction], probe.to[probe.direction]),
               high = std::max(probe.from[probe.direction], probe.to[probe.direction]);
  const auto [first, last] = std::minmax_element(published.position.begin(), published.position.end());
  const double slack = 1e-12 * (high - low);
  if (*first < low - slack || *last > high + slack)
    table.fail("shift", fmt::format("the published profile runs over [{}, {}], the probe over [{}, {}]", *first, *last,
                                    low, high));
}

void read_reference(const Table& table, Probe& probe) {
  probe.reference = read_comparison(table);
  probe.reference_field = table.described_by(field_keys).get("field", probe.fields.front());
  if (std::ranges::find(probe.fields, probe.reference_field) == probe.fields.end())
    table.fail("field", fmt::format("'{}' is not among the probe's fields", probe.reference_field));
  int varying = 0;
  for (int d = 0; d < 3; ++d) {
    if (probe.from[d] == probe.to[d]) continue;
    probe.direction = d;
    ++varying;
  }
  if (varying != 1) table.fail("file", "published data is compared along a line in x, y or z only");
  check_range(table, probe);
}

// The distance from `from` at which the first field first crosses the value, linear between the points; NaN: nowhere.
double position_of_crossing(const Probe& probe, const ProbeValue& value) {
  const double length =
      std::hypot(probe.to[0] - probe.from[0], probe.to[1] - probe.from[1], probe.to[2] - probe.from[2]);
  double before = 0;
  for (int i = 0; i < probe.points; ++i) {
    const double above = value(probe.fields.front(), probe.at(i)) - *probe.crossing;
    if (i > 0 && (before < 0) != (above < 0)) return length / (probe.points - 1) * (i - 1 + before / (before - above));
    before = above;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

// Written in pieces, so that a line of a million points is not kept in memory.
void write_profile(const std::string& path, const Probe& probe, const ProbeValue& value) {
  constexpr std::size_t piece = std::size_t{1} << 16;
  OutputFile file(path);
  std::string text = fmt::format("x,y,z,{}\n", fmt::join(probe.fields, ","));
  for (int i = 0; i < probe.points; ++i) {
    const ProbePoint x = probe.at(i);
    text += fmt::format("{},{},{}", x[0], x[1], x[2]);
    for (const std::string& name : probe.fields) text += fmt::format(",{}", value(name, x));
    text += '\n';
    if (text.size() < piece) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
  file.close();
}

void write_comparison(const std::string& path, const Probe& probe, const Profile& published,
                      std::span<const double> computed) {
  std::string text = "x,y,z,published,computed,difference\n";
  for (std::size_t i = 0; i < computed.size(); ++i) {
    const ProbePoint x = probe.at_coordinate(published.position[i]);
    text += fmt::format("{},{},{},{},{},{}\n", x[0], x[1], x[2], published.value[i], computed[i],
                        computed[i] - published.value[i]);
  }
  write_text_aside(path, text);
}

}  // namespace

std::vector<double> nodes_with_ends(std::span<const double> faces) {
  std::vector<double> nodes{faces.front()};
  for (std::size_t i = 0; i + 1 < faces.size(); ++i) nodes.push_back(0.5 * (faces[i] + faces[i + 1]));
  nodes.push_back(faces.back());
  return nodes;
}

double interpolate(const SampledField& field, const ProbePoint& x) {
  const Stencil sx = cubic_stencil(field.nodes[0], x[0]), sy = cubic_stencil(field.nodes[1], x[1]),
                sz = cubic_stencil(field.nodes[2], x[2]);
  double sum = 0;
  for (int k = 0; k < sz.count; ++k)
    for (int j = 0; j < sy.count; ++j)
      for (int i = 0; i < sx.count; ++i) {
        const double weight = sx.weight[i] * sy.weight[j] * sz.weight[k];
        if (weight != 0) sum += weight * field.value(sx.first + i, sy.first + j, sz.first + k);
      }
  return sum;
}

ProbePoint Probe::at(int i) const {
  const double s = static_cast<double>(i) / (points - 1);
  ProbePoint x{};
  for (std::size_t d = 0; d < 3; ++d) x[d] = i == points - 1 ? to[d] : from[d] + s * (to[d] - from[d]);
  return x;
}

ProbePoint Probe::at_coordinate(double along) const {
  ProbePoint x = from;
  x[direction] = along;
  return x;
}

std::vector<KeyTable> probe_keys_of_case() { return {{"probe", "", probe_keys}, {"probe.reference", "", field_keys}}; }

std::vector<KeyTable> history_reference_keys() { return {{"history_reference", "", history_keys}}; }

std::vector<Probe> read_probes(const Table& configuration, const Box& box, std::span<const std::string> fields) {
  std::vector<Probe> probes;
  std::set<std::string> names;
  for (const Table& entry : configuration.tables("probe")) {
    const Table table = entry.described_by(probe_keys);
    Probe probe;
    probe.name = table.get<std::string>("name");
    if (const std::string why = why_no_file_name(probe.name); !why.empty()) table.fail("name", "'name': " + why);
    if (!names.insert(probe.name).second) table.fail("name", "a second probe '" + probe.name + "'");
    probe.from = read_point(table, "from", box);
    probe.to = read_point(table, "to", box);
    probe.points = table.get<int>("points");
    probe.fields = table.get<std::vector<std::string>>("fields");
    if (probe.fields.empty()) table.fail("fields", "'fields' is empty");
    for (const std::string& field : probe.fields)
      if (std::ranges::find(fields, field) == fields.end())
        table.fail("fields", fmt::format("unknown field '{}'; there are {}", field, fmt::join(fields, ", ")));
    if (table.has("crossing")) probe.crossing = table.get<double>("crossing");
    if (table.has("reference")) read_reference(table.table("reference"), probe);
    probes.push_back(std::move(probe));
  }
  return probes;
}

std::vector<std::string> probe_quantities(std::span<const Probe> probes) {
  std::vector<std::string> names;
  for (const Probe& probe : probes) {
    if (probe.crossing) names.push_back("position_" + probe.name);
    if (probe.reference) names.insert(names.end(), {"error_" + probe.name, "mean_error_" + probe.name});
  }
  return names;
}

std::vector<std::pair<std::string, double>> write_probes(const std::string& folder, std::span<const Probe> probes,
                                                         const std::function<ProbeValue(const Probe&)>& value_along) {
  std::vector<std::pair<std::string, double>> quantities;
  for (const Probe& probe : probes) {
    const ProbeValue value = value_along(probe);
    write_aside(folder + "/" + probe.name + ".csv",
                [&](const std::string& path) { write_profile(path, probe, value); });
    if (probe.crossing) quantities.emplace_back("position_" + probe.name, position_of_crossing(probe, value));
    if (!probe.reference) continue;
    const Profile published = read_published(*probe.reference);
    std::vector<double> computed;
    for (const double along : published.position)
      computed.push_back(value(probe.reference_field, probe.at_coordinate(along)));
    write_comparison(folder + "/" + probe.name + "_reference.csv", probe, published, computed);
    quantities.emplace_back("error_" + probe.name, max_difference(computed, published.value));
    quantities.emplace_back("mean_error_" + probe.name, mean_difference(computed, published.value));
  }
  return quantities;
}

std::vector<std::pair<std::string, double>> write_probes(const std::string& folder, std::span<const Probe> probes,
                                                         std::span<const SampledField> fields) {
  return write_probes(folder, probes, [&](const Probe&) -> ProbeValue {
    return [&](const std::string& name, const ProbePoint& x) { return interpolate(field_named(fields, name), x); };
  });
}

std::vector<HistoryReference> read_history_references(const Table& configuration,
                                                      std::span<const std::string> columns) {
  std::vector<HistoryReference> references;
  for (const Table& entry : configuration.tables("history_reference")) {
    const Table table = entry.described_by(history_keys);
    const auto quantity = table.get<std::string>("quantity");
    if (std::ranges::find(columns, quantity) == columns.end())
      table.fail("quantity",
                 fmt::format("history.csv has no column '{}'; there are {}", quantity, fmt::join(columns, ", ")));
    const Table reference = table.table("reference");
    references.push_back({quantity, read_comparison(reference)});
    read_or_fail(reference, references.back().published);
  }
  return references;
}

void write_history_references(const std::string& folder, std::span<const HistoryReference> references) {
  if (references.empty()) return;
  std::string text = "quantity,time,published\n";
  for (const HistoryReference& reference : references) {
    const Profile published = read_published(reference.published);
    for (std::size_t i = 0; i < published.value.size(); ++i)
      text += fmt::format("{},{},{}\n", reference.quantity, published.position[i], published.value[i]);
  }
  write_text_aside(folder + "/history_reference.csv", text);
}

}  // namespace weir
