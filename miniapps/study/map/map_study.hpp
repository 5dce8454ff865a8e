// weir map STUDY.toml: a case on a grid of two parameters. At each grid point ("cell") whole runs of the configurations
// are compared, as by weir ab, or one run with [relay] compares its candidates on branches. The study file is that of
// weir ab with one case and a table [map].
//   DIR/cells/X.Y     the runs of a cell (ab_runs.hpp); completed runs are not repeated
//   DIR/map.csv       one row per cell and configuration; map_cells.csv: one row per cell
#pragma once
#include <string>
#include <vector>

#include "base/key_table.hpp"
#include "miniapps/study/ab/ab_runs.hpp"
#include "miniapps/study/ab/ab_study.hpp"
#include "miniapps/study/ab/ab_summary.hpp"

namespace weir {

struct MapAxis {
  std::string key;
  std::vector<std::string> values;  // as for --set
};

struct MapStudy {
  AbStudy runs;
  MapAxis x, y;
  bool by_relays = false;  // one run per cell
  const char* evidence() const { return by_relays ? "branches of the runs (closed loop)" : "whole runs"; }
  std::size_t cells() const { return x.values.size() * y.values.size(); }
};

std::vector<KeyTable> map_keys();

// Error(Exit::usage) with file and line.
MapStudy read_map_study(const std::string& path, const std::string& budget = "");

// The runs of cell (x, y), from 0.
AbStudy study_of_cell(const MapStudy& map, std::size_t x, std::size_t y);

// The fastest configuration of a cell; decided if its interval excludes those of all others. The baseline has cost 1.
struct MapWinner {
  std::string configuration;  // empty: none finished
  bool is_decided = false;
  std::string second;
  double margin = 0;  // time of the second / time of the winner; a lower bound if the second was stopped
};
MapWinner winner_of(const AbSummary& cell);

// The branches of a cell's run, with each solver as a configuration; no rows if there were no branches.
AbSummary summary_of_relays(const AbRuns& runs);

struct MapCell {
  std::size_t x = 0, y = 0;
  AbSummary summary;
};
std::string map_csv(const MapStudy& map, const std::vector<MapCell>& cells);
std::string map_cells_csv(const MapStudy& map, const std::vector<MapCell>& cells);
std::string map_text(const MapStudy& map, const std::vector<MapCell>& cells);

}  // namespace weir
