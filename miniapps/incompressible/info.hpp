// What is known of a case before anything is allocated: sizes and memory.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "miniapps/structured/case.hpp"
#include "miniapps/structured/ranks.hpp"
#include "postproc/run/run.hpp"

namespace weir {

struct MemoryEstimate {
  std::int64_t flow = 0;      // fields, and the vectors of the scheme
  std::int64_t momentum = 0;  // work vectors of the solvers
  std::int64_t pressure = 0;
  std::int64_t process = 0;  // program, libraries and their buffers
  std::int64_t total() const { return flow + momentum + pressure + process; }
};

// Bytes of a run over ranks, by its estimate on one. Each has its cells and the program; rank 0 gathers the fields too, so that
// the largest share is told as if it were rank 0's.
struct MemoryOverRanks {
  std::int64_t all = 0, largest = 0;
};
MemoryOverRanks over_ranks(const MemoryEstimate& m, const IncompressibleCase& c, const RankOptions& options, int ranks);
// Into a header: all of it, and over ranks a note of the largest share.
void tell_memory(const MemoryEstimate& m, const IncompressibleCase& c, const RankOptions& options, int ranks,
                 RunHeader& h);
// "800 MB over 4 ranks, at most 210 MB per rank".
std::string text_over_ranks(const MemoryEstimate& m, const IncompressibleCase& c, const RankOptions& options,
                            int ranks);

// Vectors of the size of the unknowns that a method keeps, by its name in the case file.
double work_vectors(const std::string& method, const std::string& preconditioner, const Table& options);

MemoryEstimate memory_estimate(const IncompressibleCase& c, const Table& config);

// Everything of the header but the solvers' descriptions and the profiles' quantities.
RunHeader incompressible_header(const IncompressibleCase& c);

// The columns of history.csv between cfl and wall, by the case's scheme.
std::vector<std::string> history_columns(const IncompressibleCase& c);

}  // namespace weir
