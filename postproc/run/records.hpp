// The rows of history.csv, solves.csv and events.jsonl. What was not measured is empty, never 0.
#pragma once
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
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
      ilu_residual, dominance_L, dominance_U, target;
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

 private:
  std::string path_, waiting_;
  int file_ = -1;
  double flushed_at_ = 0;
};

std::string read_text(const std::string& path);  // a whole file; Error(file_io)

std::string history_header(const std::vector<std::string>& columns);
std::string history_row(const StepRecord& record, double wall);
std::string solves_header();
std::string solves_row(const SolveRecord& record);

// For a restart: drops the rows whose `step` is greater than `step`, and a last line that a kill left unfinished. A CSV
// without a column `step` (a profile) stays as it is; so does a missing file. Written aside and renamed.
void cut_csv(const std::string& path, std::int64_t step);
void cut_jsonl(const std::string& path, std::int64_t step);

}  // namespace weir
