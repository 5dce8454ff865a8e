// Shadow solves: at chosen steps the system that the flow code has solved, (A, b, x0), is given to other solvers as
// well. The reference solver alone advances the flow; it solves first, with nothing between its assembly and its solve
// but a copy of x0.
// What is compared is solved after it, one after another in random order for each system, all from the same
// vector and under the same conditions. The reference solver's own solve is not: it meets other caches and stands
// elsewhere in memory, which alone made differences of some percent. So the reference solver takes part through two
// replicas. For each system a coin says which of them stands for the reference solver and which is the control: if
// one of them lies in better places of memory, that falls on both names alike, and between the names nothing is left but
// chance.
//
// When all have solved, the reference solver gets its caches back: what it had in the caches, in the translations of
// addresses and in the processor's memory of branches, the others have pushed out. The flow's state is read, and then
// the reference solver does its work on this system once more, untimed and into scratch, so that its data were used
// last, as without shadows. Its preconditioner alone is applied where more would change the reference solver
// (`leader_repeats`).
//
// Over ranks all of them do this together: the order is the same on each, a barrier stands before every setup and
// solve, and what either took is the time of the rank that was last. Residuals and differences are those of all ranks.
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
  static constexpr int in_the_flow = -1;  // the reference solver's own solve, which is compared with nobody's
  std::int64_t step = 0;
  int solve = 0;           // of the step: a flow code may solve a system more than once
  int name = in_the_flow;  // into Shadow::names()
  int solver = 0;          // that played it: 0 and 1 are the replicas, the others are their names
  int place = 0;           // in the order in which this system was solved; 0: the reference solver's own
  SolveResult result;
  double residual = 0;  // |b - A x| in the l2 norm, computed here for all alike
  // Of what the solver has set up: of all ranks together, and of the one that holds most.
  std::int64_t bytes = 0, most_bytes = 0;
  double setup_seconds = 0;  // what preparing for these values took; 0: nothing to prepare
  // Of a replica: in how many unknowns its answer is not the reference solver's own, and by how much at most.
  std::int64_t differing = 0;
  double largest_difference = 0;
  std::span<const double> history = {};  // residual norms; none of the reference solver's own solve
  double seconds() const { return setup_seconds + result.solve_seconds; }
};

template <class Space>
class Shadow : public SolveWatch<Space> {
 public:
  using Keep = std::function<void(const ShadowRecord&)>;
  // repeats: how often each solves a system; kept is the one with the median time (of an even number, the shorter). Where
  // that is unusual for a solver, it solves once more: what the machine had interrupted is not slow a second time.
  // leader_repeats: preparing and solving once more leave the reference solver as it was, bit for bit. Every rank makes
  // one, with the same seed.
  Shadow(const Communicator& ranks, std::uint64_t seed, int repeats, LinearSolver<Space>& reference,
         bool reference_repeats, Keep keep)
      : ranks_(ranks),
        seed_(seed),
        repeats_(repeats),
        reference_(reference),
        reference_repeats_(reference_repeats),
        keep_(std::move(keep)) {}

  // Before the first system. The first two are the reference solver's replicas.
  void add(std::string name, std::unique_ptr<AnySolver<Space>> solver);
  // A candidate whose set-up this system's matrix does not allow, or a later one, takes part no more. Set-up is tried
  // before the first solve of the run.
  void on_left_out(std::function<void(const std::string& name, const std::string& why)> tell) {
    on_left_out_ = std::move(tell);
  }
  void read_state_by(std::function<void()> read) {
    read_state_ = std::move(read);
  }  // reads the flow's; not known: none
  void begin_step(std::int64_t step, bool due);

  std::vector<std::string> names() const;                      // the reference solver, the A/A control, the candidates
  std::vector<std::string> solvers() const;                    // what each of them is
  double seconds() const { return seconds_; }                  // spent beside the reference solver so far
  double restore_seconds() const { return restore_seconds_; }  // and in giving it the machine back

  void prepared(const Matrix<Space>& A, bool new_pattern, const SetupInfo& info) override;
  void before(const Matrix<Space>& A, View<const double> b, View<const double> x) override;
  void after(const Matrix<Space>& A, View<const double> b, View<const double> x, const SolveResult& result) override;

 private:
  enum class Stale { nothing, values, pattern };
  struct Candidate {
    std::string name;
    std::unique_ptr<AnySolver<Space>> solver;
    Stale stale = Stale::pattern;
    std::vector<double> seconds = {};  // of each system
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
  std::vector<std::size_t> order_;  // of candidates_, each as often as it solves
  bool swapped_ = false;            // the second replica stands for the reference solver
  Array<double, Space> x0_, x_, r_;
  std::int64_t step_ = 0;
  int solve_ = 0;
  bool due_ = false, warm_ = false, has_tried_ = false;
  bool is_interrupted_ = false;  // a solve was asked to stop: the run ends soon, and a part of a comparison is none
  double reference_setup_ = 0, seconds_ = 0, restore_seconds_ = 0;
  const Matrix<Space>* prepared_from_ = nullptr;  // may differ from the operator that is solved with (matrix-free)
};

}  // namespace weir
