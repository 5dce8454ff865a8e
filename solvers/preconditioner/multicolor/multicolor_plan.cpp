// The colours, the order of the rows in a sweep, and where O is stored.
#include <array>

#include "base/at.hpp"
#include "base/error.hpp"
#include "mesh/graph/colour_wavefront.hpp"
#include "mesh/graph/graph_tools.hpp"
#include "solvers/preconditioner/multicolor/multicolor.hpp"

namespace weir {
namespace {

// Rows are coupled where either of a_ij, a_ji is in the pattern.
Graph coupling_graph(const std::vector<std::int64_t>& row_start, const std::vector<int>& column) {
  const int rows = static_cast<int>(row_start.size()) - 1;
  std::vector<std::array<int, 2>> edges;
  edges.reserve(column.size());
  for (int i = 0; i < rows; ++i)
    for (std::int64_t e = row_start[at(i)]; e < row_start[at(i) + 1]; ++e)
      if (column[at(e)] != i) edges.push_back({i, column[at(e)]});
  return graph_of_edges(rows, edges);
}

Colouring colour(const Graph& graph, const MulticolorOptions& options) {
  if (options.colouring == "balanced") return colour_balanced(graph);
  if (options.colouring == "jones_plassmann") return colour_jones_plassmann(graph, options.seed);
  return colour_largest_first(graph);
}

}  // namespace

MulticolorPlan::MulticolorPlan(const std::vector<std::int64_t>& row_start, const std::vector<int>& column_of,
                               const std::vector<std::int64_t>& diagonal, const MulticolorOptions& options,
                               const std::function<int(int)>& tile) {
  const int rows = static_cast<int>(row_start.size()) - 1;
  for (int i = 0; i < rows; ++i)
    if (diagonal[at(i)] < 0)
      throw Error(Exit::usage, "multicolor: block row " + std::to_string(i) + " has no diagonal block");
  const Graph graph = coupling_graph(row_start, column_of);
  const Colouring colouring = colour(graph, options);
  colours = colouring.colours;
  ColourWavefront wave = colour_wavefront(graph, colouring, tile(colours));
  row = std::move(wave.order);
  piece_start = std::move(wave.start);
  piece_colour = std::move(wave.colour);

  source.reserve(column_of.size());
  for (const bool are_later : {false, true}) {
    if (are_later) later = {start.back()};
    for (const int i : row) {
      for (std::int64_t e = row_start[at(i)]; e < row_start[at(i) + 1]; ++e)
        if (e != diagonal[at(i)] && (colouring.colour[at(column_of[at(e)])] > colouring.colour[at(i)]) == are_later) {
          source.push_back(e);
          column.push_back(column_of[at(e)]);
        }
      (are_later ? later : start).push_back(static_cast<std::int64_t>(source.size()));
    }
  }
}

// What would only repeat the values of the pass before it is left out: after a sweep the last colour already fits all
// others, and a sweep back begins with the one before it. The order of a sweep turned round is one of a sweep back.
std::vector<ColourPass> MulticolorPlan::passes(const MulticolorOptions& options) const {
  std::vector<ColourPass> passes;
  const auto add = [&](int q, int skipped, bool first) {
    if (piece_colour[at(q)] != skipped) passes.push_back({piece_start[at(q)], piece_start[at(q) + 1], first});
  };
  for (int s = 0; s < options.sweeps; ++s) {
    for (int q = 0; q < pieces(); ++q) add(q, s > 0 && options.symmetric ? 0 : -1, s == 0);
    for (int q = pieces() - 1; options.symmetric && q >= 0; --q) add(q, colours - 1, false);
  }
  return passes;
}

}  // namespace weir
