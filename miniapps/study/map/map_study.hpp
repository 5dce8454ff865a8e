// weir map STUDY.toml: two parameters of a case on a grid; in each cell whole runs of the configurations, as in `weir ab`, or
// one run of the case with [relay], whose branches say what its candidates cost when they lead; and who wins there. The study file is that of `weir ab` with one case and a table [map].
//   DIR/cells/X.Y     the runs of a cell (ab_runs.hpp); those that are done are not repeated
//   DIR/map.csv       a row a cell and configuration; map_cells.csv: a row a cell
#pragma once
#include <string>
#include <vector>

#include "base/key_table.hpp"
#include "miniapps/study/ab/ab_runs.hpp"
#include "miniapps/study/ab/ab_study.hpp"
#include "miniapps/study/ab/ab_summary.hpp"

namespace weir {

struct MapAxis {
  std::string key;                  // of the case
  std::vector<std::string> values;  // as behind --set KEY=
};

struct MapStudy {
  AbStudy runs;
  MapAxis x, y;
  bool by_relays = false;  // a run a cell
  const char* evidence() const { return by_relays ? "closed loop" : "whole runs"; }
  std::size_t cells() const { return x.values.size() * y.values.size(); }
};

std::vector<KeyTable> map_keys();

// Error(Exit::usage) with file and line where the study cannot be.
MapStudy read_map_study(const std::string& path, const std::string& budget = "");

// The runs of cell (x, y), counted from 0.
AbStudy study_of_cell(const MapStudy& map, std::size_t x, std::size_t y);

// Who takes least in a cell, and whether its interval leaves out those of all others; the baseline's is 1.
struct MapWinner {
  std::string configuration;  // empty: nobody came to an end
  bool is_decided = false;
  std::string second;
  double margin = 0;  // the second's time / the winner's; of one that was stopped a lower bound
};
MapWinner winner_of(const AbSummary& cell);

// What the branches of a cell's run say, as if each solver were a configuration; no rows where there were none.
AbSummary summary_of_relays(const AbRuns& runs);

struct MapCell {
  std::size_t x = 0, y = 0;
  AbSummary summary;
};
std::string map_csv(const MapStudy& map, const std::vector<MapCell>& cells);
std::string map_cells_csv(const MapStudy& map, const std::vector<MapCell>& cells);
std::string map_text(const MapStudy& map, const std::vector<MapCell>& cells);

}  // namespace weir
