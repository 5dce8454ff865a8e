// Shadow solves: at chosen steps the system that the flow code solves, (A, b, x0), is given to other solvers as well.
// The leader alone advances the flow. The order of the solvers is drawn anew for each system, the leader's place in it
// too; the leader's double takes part, so that what chance alone does is measured beside the differences.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "solvers/adapters/any_solver.hpp"
#include "solvers/device/array.hpp"
#include "solvers/solve_watch.hpp"

namespace weir {

inline constexpr const char* leader_again = "leader again";  // the leader's double: the A/A control

// One solver's answer to one system.
struct ShadowRecord {
  std::int64_t step = 0;
  int solve = 0;      // of the step: a flow code may solve a system more than once
  int contender = 0;  // 0: the leader
  int place = 0;      // in the order in which this system was solved
  SolveResult result;
  double residual = 0;                   // |b - A x| in the l2 norm, computed here for all alike
  double setup_seconds = 0;              // what preparing for these values took; 0: nothing to prepare
  std::span<const double> history = {};  // residual norms of a contender's solve; none of the leader's
  double seconds() const { return setup_seconds + result.solve_seconds; }
};

template <class Space>
class Shadow : public SolveWatch<Space> {
 public:
  using Keep = std::function<void(const ShadowRecord&)>;
  Shadow(std::uint64_t seed, Keep keep) : seed_(seed), keep_(std::move(keep)) {}

  void add(std::string name, std::unique_ptr<AnySolver<Space>> solver);  // at least one, before the first system
  void begin_step(std::int64_t step, bool due);

  std::vector<std::string> names() const;  // the leader's first
  std::vector<std::string> solvers() const;
  double seconds() const { return seconds_; }  // spent beside the leader so far
  std::int64_t bytes() const;                  // what the shadows hold beside the leader: vectors and preconditioners

  void prepared(const Matrix<Space>& A, bool new_pattern, const SetupInfo& info) override;
  void before(const Matrix<Space>& A, View<const double> b, View<const double> x) override;
  void after(const Matrix<Space>& A, View<const double> b, View<const double> x, const SolveResult& result) override;

 private:
  enum class Stale { nothing, values, pattern };
  struct Contender {
    std::string name;
    std::unique_ptr<AnySolver<Space>> solver;
    Stale stale = Stale::pattern;
  };
  void draw_order();
  void solve_from(std::size_t first, std::size_t last, const Matrix<Space>& A, View<const double> b);
  double prepare(Contender& c, const Matrix<Space>& A);
  double residual_norm(const Matrix<Space>& A, View<const double> b, View<const double> x);

  std::uint64_t seed_;
  Keep keep_;
  std::vector<Contender> contenders_;
  std::vector<std::size_t> order_;  // 0: the leader, i: contenders_[i - 1]
  std::size_t leader_at_ = 0;
  Array<double, Space> x0_, x_, r_;
  std::int64_t step_ = 0;
  int solve_ = 0;
  bool due_ = false, warm_ = false;
  double leader_setup_ = 0, seconds_ = 0;
  const Matrix<Space>* prepared_from_ = nullptr;  // may differ from the operator that is solved with (matrix-free)
};

}  // namespace weir
