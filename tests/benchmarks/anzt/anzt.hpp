// The figures of Anzt, Ribizel, Flegar, Chow & Dongarra 2019 again: each function prints one table, writes it as CSV
// and returns 0. docs/results/anzt_2019.md says what the paper found and what we see. `weir bench anzt` runs all four.
#pragma once
#include <string>

namespace weir::bench {

struct AnztOptions {
  std::string folder = "weir-bench";
  bool quick = false;
};

int anzt_select(const AnztOptions& options);  // Figs. 8, 9: throughput of selection, and where the time of a level goes
int anzt_gmres(const AnztOptions& options);   // Fig. 10: GMRES iterations against steps
int anzt_stages(const AnztOptions& options);  // Figs. 11, 12: where the time of ParILUT goes
int anzt_peers(const AnztOptions& options);   // Fig. 13: compared with the ILUT of Eigen and of SuperLU

}  // namespace weir::bench
