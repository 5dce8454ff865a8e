// Sizes and memory of a structured case, known before anything is allocated.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "base/table.hpp"
#include "miniapps/driver/system_defaults.hpp"
#include "miniapps/structured/case.hpp"
#include "miniapps/structured/ranks.hpp"
#include "postproc/run/run.hpp"

namespace weir {

// Bytes of a run over ranks, estimated from one rank: each rank has its cells and the program.
struct MemoryOverRanks {
  std::int64_t all = 0, largest = 0;
};

struct StructuredPlan {
  const IncompressibleCase& c;
  RankOptions ranks;
  RunHeader header;  // without the descriptions of the solvers and the quantities of profiles
  std::vector<std::pair<std::string, std::int64_t>> memory;  // bytes by purpose
  // Copy of the flow, to continue from after an abandoned step (Run::keep_if_due); and the program.
  std::int64_t kept_step = 0, program = std::int64_t{14} << 20;  // program: with its libraries and their buffers

  MemoryOverRanks over_ranks(int count) const;
  // Writes the total into a header and, over ranks, a note on the largest share.
  void tell_memory(int count, RunHeader& h) const;
  // Prints `weir info`. more: additional lines of the flow code, label and text.
  void print(const std::vector<std::pair<std::string, std::string>>& more, int count, std::ostream& out) const;
};

// The header of an incompressible run by the fractional step, from which the others' are made.
RunHeader structured_header(const IncompressibleCase& c);

// [output] history: columns of history.csv that are not computed unless they are named there.
Options history_options();
void add_history_columns(const Table& config, const IncompressibleCase& c, RunHeader& h);

}  // namespace weir
