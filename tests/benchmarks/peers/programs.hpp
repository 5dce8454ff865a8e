// Whole programs that `weir bench peers` compares: a case's files, a run as a child, processor time.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "postproc/report/child.hpp"

namespace weir::bench {

std::string weir_program();                                                    // the one that belongs to this build
bool is_on_path(const std::string& program);                                   // on PATH
void write_file(const std::filesystem::path& path, const std::string& words);  // with its folders; Error(usage)

// Output goes to `log`. Error(solver_failed) naming `log` for an exit code other than 0 and 5 (a figure of [check]
// differs).
Child run_program(const std::vector<std::string>& command, const std::filesystem::path& log);

}  // namespace weir::bench
