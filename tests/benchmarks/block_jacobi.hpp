// block_jacobi with its inverted blocks in double and in float, interleaved:
//   weir bench block-jacobi [-o DIR]      under a minute; --quick: small ones
// Block diagonals of given spreads of condition numbers; bytes per block, time of an application and of an update over
// those of double, medians of the turns; DIR/block_jacobi.csv.
#pragma once
#include <string>

namespace weir::bench {

int bench_block_jacobi(const std::string& csv_path, bool quick);

}  // namespace weir::bench
