// The rows of history.csv, solves.csv and events.jsonl. What was not measured is empty, never 0.
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

// A file that grows by whole lines. Lines go to the system in batches, at the latest a quarter of a second after they
// were added while others follow, and at every flush(): a kill loses none that was flushed and leaves none half written
// but the last. What cannot be written (a full disk) is an Error(Exit::file_io).
class LineFile {
 public:
  LineFile() = default;
  // Appends to what is there; a new file begins with `header` where that is not empty.
  LineFile(const std::string& path, const std::string& header);
  ~LineFile();
  LineFile(LineFile&& other) noexcept;
  LineFile& operator=(LineFile&& other) noexcept;
  void add(const std::string& line);
  void flush();
  void sync();  // flushes, and waits until the disk has what is new: no power cut loses it

 private:
  std::string path_, waiting_;
  int file_ = -1;
  double flushed_at_ = 0;
  bool is_synced_ = true;
};

std::string read_text(const std::string& path);  // a whole file; Error(file_io)

std::string history_header(const std::vector<std::string>& columns);
std::string history_row(const StepRecord& record, double wall);
std::string solves_header();
std::string solves_row(const SolveRecord& record);

// The step in a file's name, "cavity_00000100.vtr"; -1 where it has none.
std::int64_t step_in_name(std::string_view name);

// The lines of a file of a run, told apart by their step. What has no step (a header, the frame of a .pvd) is in both parts.
struct SplitText {
  std::string kept, later;  // up to the step, with what has none; the whole rest where it holds a step, else empty
};
// A CSV by its column `step`, events by "step":, a .pvd by the number in its pictures' names. A last line that a kill left
// unfinished is in neither. A CSV without such a column (a profile) is none of these: nothing.
std::optional<SplitText> split_at_step(const std::string& path, std::int64_t step);

}  // namespace weir
