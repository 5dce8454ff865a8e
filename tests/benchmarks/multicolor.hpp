// The zubair suite: multicolor point-implicit sweeps over random block matrices with the sparsity of a tetrahedral mesh
// (about 14 neighbours a node), for the sizes and blocks of Tables III and IV of Zubair et al. 2016.
#pragma once
#include <string>

namespace weir::bench {

// Prints the table, and writes it as CSV where a path is given; quick: one small mesh. `weir bench zubair`.
int bench_multicolor(const std::string& csv_path, bool quick);
// The paper's large case alone: 984 k nodes, 13.6 M blocks of 5 x 5, with its colour tail; 6 GB. `weir bench
// zubair-984k`.
int bench_multicolor_984k(const std::string& csv_path, bool quick);

}  // namespace weir::bench
