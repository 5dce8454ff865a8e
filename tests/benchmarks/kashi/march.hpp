// Second-order runs from the common start, step by step: what Figs. 3 and 6 to 9 of Kashi & Nadarajah 2020 are drawn
// from.
#pragma once
#include <cstdio>

#include "tests/benchmarks/kashi/study_case.hpp"

namespace weir::kashi {

void write_march_header(std::FILE* csv);

// Runs until the residual of energy has fallen to the case's tolerance, or `most_iterations` linear iterations are
// spent, or steps are rejected for good. A row a step; returns the linear iterations, negative where it did not
// converge.
std::int64_t march(const StudyCase& study, const std::vector<double>& start, const Variant& variant, int repeat,
                   std::int64_t most_iterations, std::FILE* csv);

}  // namespace weir::kashi
