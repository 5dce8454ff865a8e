// The rows of history.csv, solves.csv and events.jsonl. Values that were not measured are empty, never 0.
#pragma once
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

using Measure = std::optional<double>;

struct StepRecord {
  std::int64_t step = 0;
  double time = 0, dt = 0;
  Measure cfl;
  std::vector<Measure> values;  // in the order of RunHeader::history
};

struct SolveRecord {
  std::int64_t step = 0;
  std::string system, solver;  // "pressure", "cg+multigrid"
  std::int64_t unknowns = 0;
  int iterations = 0;
  std::string reason;
  Measure r0, r_true, setup_ms, solve_ms, apply_ms, spmv_ms, reduce_ms, halo_ms, transfer_bytes, preconditioner_age,
      ilu_residual, dominance_L, dominance_U, target, tolerance;
  std::string tolerance_reason;
};

// A file that grows by whole lines. Lines are written in batches: at flush(), and at the latest a quarter of a second
// after they were added while others follow. A kill loses no flushed line; only the last line may be incomplete. A
// failed write (full disk) throws Error(Exit::file_io).
class LineFile {
 public:
  // Appends to an existing file; a new file begins with `header`, if that is not empty.
  LineFile(const std::string& path, const std::string& header);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  void add(const std::string& line);
  void flush();
  void sync();  // flushes and waits for the disk, so that a power cut loses nothing

 private:
  std::string path_, waiting_;
  int file_ = -1;
  double flushed_at_;
  bool is_synced_ = true;
};

std::string read_text(const std::string& path);  // a whole file; Error(file_io)

std::string history_header(const std::vector<std::string>& columns);
std::string history_row(const StepRecord& record, double wall);
std::string solves_header();
std::string solves_row(const SolveRecord& record);

// The step in the name of a file, "cavity_00000100.vtr"; -1 if it has none.
std::int64_t step_in_name(std::string_view name);

// The lines of a file of a run, divided by their step. Lines without a step (a header, the frame of a .pvd) are in
// both.
struct SplitText {
  std::string kept, later;  // up to the step; after it (empty if no step follows)
};
// The step is in the column `step` of a CSV file, in "step": of events, in the file names of a .pvd. An incomplete last
// line is in neither part. Returns nothing for a CSV file without this column (a profile).
std::optional<SplitText> split_at_step(const std::string& path, std::int64_t step);

}  // namespace weir
