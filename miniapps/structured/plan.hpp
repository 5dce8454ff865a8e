// What is known of a structured case before anything is allocated: sizes and memory.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "base/table.hpp"
#include "miniapps/structured/case.hpp"
#include "miniapps/structured/ranks.hpp"
#include "miniapps/driver/system_defaults.hpp"
#include "postproc/run/run.hpp"

namespace weir {

// Bytes of a run over ranks, by its estimate on one. Each has its cells and the program; rank 0 gathers the fields and keeps the
// step before too, so that the largest share is told as if it were rank 0's.
struct MemoryOverRanks {
  std::int64_t all = 0, largest = 0;
};

struct StructuredPlan {
  const IncompressibleCase& c;
  RankOptions ranks;
  RunHeader header;  // everything but the solvers' descriptions and the profiles' quantities
  std::vector<std::pair<std::string, std::int64_t>> memory;  // bytes, by what they are for
  // Of the whole flow on the root rank, to go on from where a step is given up (Run::keep_if_due); and of the program.
  std::int64_t kept_step = 0, program = std::int64_t{14} << 20;  // with its libraries and their buffers

  MemoryOverRanks over_ranks(int count) const;
  // Into a header: all of it, and over ranks a note of the largest share.
  void tell_memory(int count, RunHeader& h) const;
  // `weir info`; more: what else the code has to say, label and text.
  void print(const std::vector<std::pair<std::string, std::string>>& more, int count, std::ostream& out) const;
};

// The header of an incompressible run by the fractional step, from which the others' are made.
RunHeader structured_header(const IncompressibleCase& c);

}  // namespace weir
