// Matrix Market files (Boisvert, Pozo & Remington, NISTIR 5935, 1996), plain or gzipped.
//   matrices: coordinate; real, integer or pattern (every value 1); general, symmetric or skew-symmetric
//   vectors:  array or coordinate, one column
// Malformed and missing files throw Error(Exit::usage), with file:line if malformed; unreadable ones throw
// Error(Exit::file_io). Memory is allocated for no more entries than the file can contain. The text is read twice, so
// memory holds only the mapped file and the matrix.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// block: unknowns per block row; 0: the largest size up to 8 whose blocks are at least 9/10 full, else 1. Missing
// entries of a block are zeros. Square matrices only; repeated entries are refused. With `faults`, non-finite numbers
// are kept, repeated entries are added up, and both are reported there.
struct MarketFaults {
  std::int64_t not_finite = 0, repeated = 0;
  int not_finite_row = -1, not_finite_column = -1, repeated_row = -1, repeated_column = -1;  // the first ones, from 0
};
BlockCsrData read_matrix_market(const std::string& path, int block = 0, MarketFaults* faults = nullptr);
BlockCsrData parse_matrix_market(std::string_view text, const std::string& name, int block = 0,
                                 MarketFaults* faults = nullptr);

std::vector<double> read_vector_market(const std::string& path, std::int64_t size);
std::vector<double> parse_vector_market(std::string_view text, const std::string& name, std::int64_t size);

// Written under a temporary name and renamed. 17 digits: reading restores the same bits.
void write_matrix_market(const std::string& path, const BlockCsrData& matrix);
void write_vector_market(const std::string& path, std::span<const double> vector);

}  // namespace weir
