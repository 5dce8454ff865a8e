// weir mesh CASE.toml -o mesh.vtu: the mesh of a case with its orderings, colourings, lines and partitions as fields.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/print.hpp"
#include "inputs/case.hpp"
#include "mesh/graph/colouring.hpp"
#include "mesh/graph/graph_tools.hpp"
#include "mesh/ordering/make_ordering.hpp"
#include "mesh/read/read_mesh.hpp"
#include "mesh/unstructured/make_mesh.hpp"
#include "mesh/unstructured/quality.hpp"
#include "miniapps/cli/verbs.hpp"
#include "postproc/fields/vtk.hpp"
#include "postproc/run/machine.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

constexpr const char* ordering_types[] = {"natural", "random",   "rcm",      "1wd",    "nd",
                                          "line",    "line_rcm", "line_1wd", "line_nd"};

// 1,234,567
std::string grouped(std::int64_t n) {
  std::string text = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

template <class... Arguments>
void line(std::string_view label, fmt::format_string<Arguments...> form, Arguments&&... arguments) {
  say("{:<13} {}\n", label, fmt::format(form, std::forward<Arguments>(arguments)...));
}

using Fields = std::vector<OutputField>;

// Adds a field with one number per cell; integers are written as integers.
template <class T>
void add(Fields& fields, std::string name, std::vector<T> values) {
  const auto kept = std::make_shared<const std::vector<T>>(std::move(values));
  fields.push_back({std::move(name), 1, std::is_integral_v<T>, [kept](std::size_t first, std::span<double> out) {
                      std::copy_n(kept->begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
                    }});
}

void print_repairs(const MeshRepairs& r) {
  std::string text;
  const auto say = [&](int n, const char* what) {
    if (n) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(n), what);
  };
  say(r.turned, "clockwise cells turned");
  say(r.unused_nodes, "unused nodes removed");
  say(r.not_convex, "quadrilaterals with a re-entrant corner kept");
  say(r.ignored_edges, "interior marked edges ignored");
  if (!text.empty()) line("repairs", "{}", text);
}

void print_mesh(const UnstructuredMesh& mesh, const MeshOrigin& origin, double seconds, Fields& fields) {
  int triangles = 0;
  for (int c = 0; c < mesh.cells(); ++c) triangles += mesh.corners(c) == 3;
  line("mesh", "{} ({:.2f} s)", origin.name, seconds);
  line("cells", "{} ({} quadrilaterals, {} triangles)", grouped(mesh.cells()), grouped(mesh.cells() - triangles),
       grouped(triangles));
  line("nodes", "{}", grouped(mesh.nodes()));
  line("faces", "{} ({} interior{})", grouped(mesh.faces()), grouped(mesh.interior_faces()),
       mesh.periodic_faces ? ", " + grouped(mesh.periodic_faces) + " of them periodic" : "");
  std::string patches;
  for (const Patch& p : mesh.patches)
    patches += fmt::format("{}{} {}", patches.empty() ? "" : ", ", p.name, grouped(p.count));
  line("patches", "{}", patches.empty() ? "none" : patches);
  print_repairs(origin.repairs);
  const auto [least, most] = std::minmax_element(mesh.volume.begin(), mesh.volume.end());
  const double total = std::accumulate(mesh.volume.begin(), mesh.volume.end(), 0.0);
  line("volume", "{:.3g} to {:.3g}, total {:.7g}", *least, *most, total);
  std::vector<double> aspect = aspect_ratios(mesh), angle = least_angles(mesh);
  const double mean = std::accumulate(aspect.begin(), aspect.end(), 0.0) / mesh.cells();
  line("aspect ratio", "at most {:.4g}, mean {:.3g}", *std::ranges::max_element(aspect), mean);
  line("angle", "at least {:.1f} degrees", *std::ranges::min_element(angle));
  add(fields, "aspect_ratio", std::move(aspect));
  add(fields, "angle", std::move(angle));
  add(fields, "volume", mesh.volume);
}

void add_lines(const UnstructuredMesh& mesh, const CellLines& lines, double anisotropy, double seconds,
               Fields& fields) {
  int shortest = mesh.cells(), longest = 0;
  for (const CellRange& r : lines.lines) {
    shortest = std::min(shortest, r.count);
    longest = std::max(longest, r.count);
  }
  if (lines.count())
    line("lines", "{} of {} to {} cells, {:.1f} % of all; anisotropy above {:g} ({:.2f} s)", grouped(lines.count()),
         shortest, longest, 100.0 * static_cast<double>(lines.cell.size()) / mesh.cells(), anisotropy, seconds);
  else
    line("lines", "none: no cell at a boundary has an anisotropy above {:g} ({:.2f} s)", anisotropy, seconds);
  add(fields, "line", line_of_cell(lines, mesh.cells()));
}

// The ordering of the case is also written as "order" and "level", so that scripts need not know its name.
void add_orderings(const UnstructuredMesh& mesh, const Graph& graph, OrderingOptions options, Fields& fields) {
  const std::string chosen = options.type;
  say("{:<13} {:<9} {:>10} {:>8} {:>12} {:>8}\n", "orderings", "type", "bandwidth", "levels", "cells/level", "s");
  for (const char* type : ordering_types) {
    options.type = type;
    const double start = seconds_now();
    const Order order = make_ordering(mesh, options).order;
    const double seconds = seconds_now() - start;
    LevelSets sets = level_sets(graph, order);
    say("{:<13} {:<9} {:>10} {:>8} {:>12.1f} {:>8.2f}{}\n", "", type, grouped(bandwidth(graph, order)),
        grouped(sets.levels), static_cast<double>(mesh.cells()) / std::max(sets.levels, 1), seconds,
        chosen == type ? "  <- this case" : "");
    std::vector<int> position = inverse(order);
    if (chosen == type) {
      add(fields, "order", position);
      add(fields, "level", sets.level);
    }
    add(fields, fmt::format("order_{}", type), std::move(position));
    add(fields, fmt::format("level_{}", type), std::move(sets.level));
  }
}

void add_colourings(const Graph& graph, std::uint64_t seed, Fields& fields) {
  say("{:<13} {:<14} {:>8} {:>10} {:>10} {:>8}\n", "colourings", "type", "colours", "smallest", "largest", "s");
  const auto colour_by = [&](const char* name, auto&& colour) {
    const double start = seconds_now();
    Colouring c = colour();
    const double seconds = seconds_now() - start;
    std::vector<int> count(static_cast<std::size_t>(std::max(c.colours, 1)));
    for (const int one : c.colour) ++count[one];
    const auto [least, most] = std::minmax_element(count.begin(), count.end());
    say("{:<13} {:<14} {:>8} {:>10} {:>10} {:>8.2f}\n", "", name, c.colours, grouped(*least), grouped(*most), seconds);
    add(fields, fmt::format("colour_{}", name), std::move(c.colour));
  };
  colour_by("largest_first", [&] { return colour_largest_first(graph); });
  colour_by("balanced", [&] { return colour_balanced(graph); });
  colour_by("jones_plassmann", [&] { return colour_jones_plassmann(graph, seed); });
}

void add_partition(const Graph& graph, const CellLines& lines, int parts, Fields& fields) {
  const double start = seconds_now();
  std::vector<int> part = partition_cells(graph, lines, parts);
  const double seconds = seconds_now() - start;
  std::vector<int> count(static_cast<std::size_t>(parts));
  for (const int p : part) ++count[p];
  line("partition", "{} parts of {} to {} cells, {} faces cut, implicit lines kept whole ({:.2f} s)", parts,
       grouped(*std::ranges::min_element(count)), grouped(*std::ranges::max_element(count)),
       grouped(edge_cut(graph, part)), seconds);
  add(fields, "partition", std::move(part));
}

}  // namespace

int write_mesh(const MeshArguments& a) {
  const Table config = read_case(a.case_path, a.overrides, a.unset);
  if (!config.has("mesh"))
    throw Error(Exit::usage, a.case_path + ": this case has a structured grid; weir mesh needs [mesh]");
  const bool is_su2 = std::filesystem::path(a.output).extension() == ".su2";
  const OutputPlace output = place_of_output(a.output, {a.case_path, config.table("mesh").get<std::string>("file", "")},
                                             is_su2 ? "NDIME=" : "<");
  if (output.is_stream) throw Error(Exit::usage, a.output + ": is a device or a pipe; the mesh needs a file");
  const double start = seconds_now();
  const Table mesh_table = config.table("mesh"), ordering_table = config.table("ordering");
  OrderingOptions options = read_ordering(ordering_table);
  MeshOrigin origin;
  const UnstructuredMesh mesh = make_mesh(mesh_table, &origin);
  mesh_table.refuse_unknown();
  ordering_table.refuse_unknown();
  Fields fields;
  print_mesh(mesh, origin, seconds_now() - start, fields);
  const double before_lines = seconds_now();
  const Graph graph = cell_graph(mesh);
  const CellLines lines = find_lines(mesh, options.anisotropy);
  add_lines(mesh, lines, options.anisotropy, seconds_now() - before_lines, fields);
  add_orderings(mesh, graph, options, fields);
  add_colourings(graph, options.seed, fields);
  add_partition(graph, lines, a.parts, fields);
  const double before_writing = seconds_now();
  if (is_su2)
    write_text_aside(output.path, su2_text(mesh));
  else
    write_unstructured(output.path, {.node = mesh.node,
                                     .cell_start = mesh.cell_start,
                                     .cell_node = mesh.cell_node,
                                     .cell_fields = fields,
                                     .node_fields = {}});
  line("written", "{} ({:.2f} s)", a.output, seconds_now() - before_writing);
  line("time", "{:.2f} s", seconds_now() - start);
  return 0;
}

}  // namespace weir
