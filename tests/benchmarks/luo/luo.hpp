// The tables and figures of Luo, Edwards, Luo & Mueller 2015 again: each function prints one table, writes it as CSV
// and draws it, and returns 0. docs/results/luo_2015.md says what the paper found and what we see.
#pragma once
#include <string>

namespace weir::bench {

struct LuoOptions {
  std::string folder = "weir-bench";
  bool quick = false;
};

int luo_table1(const LuoOptions& options);  // sum of squares of the residual over 20 steps, every schedule
int luo_tables(const LuoOptions& options);  // Tables 2 to 4: work, bytes and rates of the three kernels, n = 6
int luo_fig8(const LuoOptions& options);    // where the time of the main loop goes
int luo_fig9(const LuoOptions& options);    // time per point against the size of the grid, n = 6
int luo_fig10(const LuoOptions& options);   // time per point against n at constant n^2 I J K

}  // namespace weir::bench
