// [roofline]: what the kernels of the solvers reach on the systems of the run, beside the memory's measure (Williams,
// Waterman & Patterson, CACM 52 (2009) 65), without a profiler: matrices and preconditioners state the least bytes and
// operations of a call (solvers/matrix/work.hpp), and here the calls are timed.
//   [roofline] every = 0 (off)   steps between measurements
// Taken are the reference solver of each system and, of the system that [shadow] studies, our own candidates; all of
// them as copies, so that the reference solver is left alone. roofline.csv: a row a step, solver and kernel: `spmv`,
// `apply` and `update` of the preconditioner, and the parts of an application that can be run by themselves (colours,
// sweeps, levels).
// Each is repeated on the same data, which a cache may keep: beside the triad out of memory stands the triad on arrays
// as large as what the kernel moves. Over ranks all call a kernel at once, and so with the triad: bytes and operations
// are those of all ranks, the time that of the slowest.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "miniapps/study/facility.hpp"
#include "postproc/run/records.hpp"
#include "solvers/solve_watch.hpp"

namespace weir {

template <class Space>
class RooflineSystem;  // roofline.cpp

Options roofline_options();

template <class Space>
class Roofline : public Facility<Space> {
 public:
  Roofline(const Table& config, const Communicator& ranks);
  ~Roofline() override;

  void attach(const StudiedSystem<Space>& system) override;
  void open(Run& run) override;
  void begin_step(std::int64_t step) override;
  void finish(Run& run) override;  // a table, into the log

 private:
  friend class RooflineSystem<Space>;
  struct Row {
    std::string system, solver;
    bool is_shared = false;  // of all solvers of the system: the matrix's own
    std::string kernel;
    Work work;
    double seconds = 0;
  };
  void keep(const Row& row);
  double triad_of_all(std::int64_t bytes, int sharers) const;
  double triad_of(std::int64_t bytes);

  Table config_;
  const Communicator& ranks_;
  std::int64_t every_ = 0, step_ = 0;
  bool due_ = false;
  double triad_ = 0, seconds_ = 0;
  std::map<std::int64_t, double> triads_;  // by the power of two of the bytes
  std::vector<std::unique_ptr<RooflineSystem<Space>>> systems_;
  std::vector<Row> last_;  // of the last measurement
  std::int64_t last_step_ = 0;
  LineFile rows_;
  Run* run_ = nullptr;
};

}  // namespace weir
