// Systems that other codes have dumped (inputs/clients/README.md has the format), as captured systems: they can be
// replayed, solved, exported and diagnosed like ours. Nobody has solved them yet, so they have no recorded solver.
#pragma once
#include <string>

#include "miniapps/study/capture/capsule.hpp"
#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

inline constexpr int client_capture_version = 1;

bool is_client_capture(const std::string& path);  // by its name and its first bytes; not so a client's pattern
bool is_client_pattern(const std::string& path);

// Error(Exit::file_io) that says what is wrong with which file.
Capsule read_client_capture(const std::string& path);

// Without a solve: gmres + block_ilu0. Facts of the rows are computed here; constants are a guessed
// null space where the right-hand sides have no part along them.
void describe_unsolved(Capsule& capsule);
MatrixRecord record_of(BlockCsrData&& rows, double constant_part_of_b);

}  // namespace weir
