// Shadow solves: at chosen steps the system (A, b, x0) that the flow code has solved is also solved by other solvers.
// Only the reference solver advances the flow; it solves first, and only a copy of x0 stands between assembly and its
// solve. The candidates follow in random order for each system, all from the same vector and under the same conditions.
// The reference solver's own solve is not compared, because its caches and memory locations differ, which alone makes
// differences of some percent. Instead it takes part with two replicas; for each system a coin decides which of them
// counts as the reference solver and which as the A/A control, so that advantages of memory locations fall on both
// alike.
//
// Afterwards the caches of the reference solver are restored: the flow's state is read, and the reference solver
// repeats its work on this system, untimed and into scratch memory. If repeating would change the reference solver
// (`reference_repeats`), only its preconditioner is applied.
//
// Over ranks all do this together: the order is the same on each, a barrier precedes every set-up and solve, and times
// are those of the slowest rank. Residuals and differences are global.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "solvers/adapters/any_solver.hpp"
#include "solvers/device/array.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/solve_watch.hpp"

namespace weir {

inline constexpr const char* control_name = "leader again";  // the A/A control
inline constexpr const char* in_the_flow_name = "in the flow";

// One solver's answer to one system.
struct ShadowRecord {
  static constexpr int in_the_flow = -1;  // the reference solver's own solve, which is not compared
  std::int64_t step = 0;
  int solve = 0;           // index in the step: a system may be solved more than once
  int name = in_the_flow;  // into Shadow::names()
  int solver = 0;          // 0 and 1: replicas of the reference solver; otherwise equal to name
  int place = 0;           // position in the order of this system; 0: the reference solver's own solve
  SolveResult result;
  double residual = 0;  // |b - A x|, l2 norm, computed here
  // Memory of the set-up: over all ranks, and of the largest rank.
  std::int64_t bytes = 0, most_bytes = 0;
  double setup_seconds = 0;  // set-up or update for this system; 0: none
  // Replicas: number of unknowns that differ from the reference solver's own solution, and the largest difference.
  std::int64_t differing = 0;
  double largest_difference = 0;
  std::span<const double> history = {};  // residual norms; empty for the reference solver's own solve
  double seconds() const { return setup_seconds + result.solve_seconds; }
};

template <class Space>
class Shadow : public SolveWatch<Space> {
 public:
  using Keep = std::function<void(const ShadowRecord&)>;
  // repeats: solves per system and candidate; the one with the median time counts (the shorter of an even number). If
  // its time is unusual, the solve is repeated, because an interruption by other programs does not recur.
  // reference_repeats: a repeated set-up and solve leave the reference solver unchanged bit for bit. The same seed on
  // every rank.
  Shadow(const Communicator& ranks, std::uint64_t seed, int repeats, LinearSolver<Space>& reference,
         bool reference_repeats, Keep keep)
      : ranks_(ranks),
        seed_(seed),
        repeats_(repeats),
        reference_(reference),
        reference_repeats_(reference_repeats),
        keep_(std::move(keep)) {}

  // Before the first system. The first two are the replicas of the reference solver.
  void add(std::string name, std::unique_ptr<AnySolver<Space>> solver);
  // Called for a candidate whose set-up fails; it is then excluded. Set-ups are tried before the first solve of the
  // run.
  void on_left_out(std::function<void(const std::string& name, const std::string& why)> tell) {
    on_left_out_ = std::move(tell);
  }
  void read_state_by(std::function<void()> read) { read_state_ = std::move(read); }  // reads the state of the flow
  void begin_step(std::int64_t step, bool due);

  std::vector<std::string> names() const;                      // reference solver, A/A control, candidates
  std::vector<std::string> solvers() const;                    // solver of each of them
  double seconds() const { return seconds_; }                  // spent on shadow solves so far
  double restore_seconds() const { return restore_seconds_; }  // and on restoring the caches

  void prepared(const Matrix<Space>& A, bool new_pattern, const SetupInfo& info) override;
  void before(const Matrix<Space>& A, View<const double> b, View<const double> x) override;
  void after(const Matrix<Space>& A, View<const double> b, View<const double> x, const SolveResult& result) override;

 private:
  enum class Stale { nothing, values, pattern };
  struct Candidate {
    std::string name;
    std::unique_ptr<AnySolver<Space>> solver;
    Stale stale = Stale::pattern;
    std::vector<double> seconds = {};  // per system
    bool is_left_out = false;
  };
  void try_setups(const Matrix<Space>& A);
  template <class F>
  bool is_possible(std::size_t index, const F& f);
  void draw_order();
  ShadowRecord own_record(const Matrix<Space>& A, View<const double> b, View<const double> x,
                          const SolveResult& result);
  void warm_up(const Matrix<Space>& A, View<const double> b);
  void solve_all(const Matrix<Space>& A, View<const double> b, View<const double> x, const ShadowRecord& own);
  bool is_unusual(const Candidate& c, double seconds) const;
  std::optional<ShadowRecord> solve_by(std::size_t index, const Matrix<Space>& A, View<const double> b);
  double prepare(Candidate& c, const Matrix<Space>& A);
  double seconds_to_prepare(std::size_t index, const Matrix<Space>& A);
  SolveResult of_slowest(SolveResult mine) const;
  void repeat_reference(const Matrix<Space>& A, View<const double> b, View<const double> x);
  void restore_caches(const Matrix<Space>& A, View<const double> b, View<const double> x, double own_seconds);
  double residual_norm(const Matrix<Space>& A, View<const double> b, View<const double> x);

  const Communicator& ranks_;
  std::uint64_t seed_;
  int repeats_;
  LinearSolver<Space>& reference_;
  bool reference_repeats_;
  Keep keep_;
  std::function<void()> read_state_;
  std::function<void(const std::string&, const std::string&)> on_left_out_;
  std::vector<Candidate> candidates_;
  std::vector<std::size_t> order_;  // indices into candidates_, each `repeats` times
  bool swapped_ = false;            // the second replica counts as the reference solver
  Array<double, Space> x0_, x_, r_;
  std::int64_t step_ = 0;
  int solve_ = 0;
  bool due_ = false, warm_ = false, has_tried_ = false;
  bool is_interrupted_ = false;  // a solve was stopped: the run ends, and the incomplete comparison is dropped
  double reference_setup_ = 0, seconds_ = 0, restore_seconds_ = 0;
  const Matrix<Space>* prepared_from_ =
      nullptr;  // matrix of the preconditioner, may differ from the operator (matrix-free)
};

}  // namespace weir
