// Systems written by other codes (format: inputs/clients/README.md) as captured systems. They have no recorded solver.
#pragma once
#include <string>

#include "miniapps/study/capture/capsule.hpp"
#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

inline constexpr int client_capture_version = 1;

bool is_client_capture(const std::string& path);  // by name and first bytes; false for a pattern file
bool is_client_pattern(const std::string& path);

// Error(Exit::file_io) with the file and the reason.
Capsule read_client_capture(const std::string& path);

// Fills in the solver (gmres + block_ilu0) of a system without a recorded solve.
void describe_unsolved(Capsule& capsule);
// Detects symmetry, and constants as null space if the right-hand sides have no component along them.
MatrixRecord record_of(BlockCsrData&& rows, double constant_part_of_b);

}  // namespace weir
