// [observe]: diagnostics of the solves of one system, in observatory.csv and, per cell, in the field output. Every few
// steps: the probe |r - A M^-1 r| / |r| of the preconditioner on the first residual; for asynchronous ILU the
// fixed-point residual, the diagonal dominance of L and U and stale reads; after the solve the residual of every block
// row. error = true adds |x* - x|, where x* is the solution to 1e-12 of the right-hand side. observatory.csv has one
// row per solve with the cost of observing it. Over ranks the numbers are those of the whole system and the time is
// that of the slowest rank.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/timer.hpp"
#include "miniapps/study/facility.hpp"
#include "miniapps/study/observe/observe_rows.hpp"

namespace weir {

static Options observe_options() {
  static constexpr Option keys[] = {
      {"system", Option::text, "", "name of the observed system, one of [linear.SYSTEM]"},
      {"every", Option::integer, "10", "number of steps between two observed steps; 0: off", "[0, inf)", "steps"},
      {"error", Option::boolean, "false",
       "switch for a second, accurate solve of each observed system, from which the error of the first is computed"}};
  return keys;
}

namespace {

constexpr const char* observatory_columns =
    "step,solve,system,part,solver,iterations,reason,r0,r_true,probe,fixed_point,dominance_L,dominance_U,"
    "median_dominance_L,median_dominance_U,stale_reads,largest_row_residual,row,error,observe_ms,"
    "rows_half,rows_bfloat16,rows_float,rows_double";

std::string cell(double value) { return value >= 0 ? fmt::format("{:.6g}", value) : std::string(); }

template <class Space>
class Observatory : public Facility<Space> {
 public:
  explicit Observatory(const LabCase& c) : Facility<Space>(c.ranks) {
    if (!c.config.is_table("observe")) return;
    const Table t = c.config.table("observe").described_by(observe_options());
    every_ = t.get<std::int64_t>("every");
    wants_error_ = t.get<bool>("error");
    system_ = read_system(t, c.systems);
  }

  void attach(const StudiedSystem<Space>& system) override {
    if (every_ == 0 || system.name != system_) return;
    observers_.push_back(std::make_unique<Observer>(*this, system));
    system.reference->watch(observers_.back().get());
  }

  void open(Run& run) override {
    run_ = &run;
    if (!observers_.empty() && ranks_.is_root()) rows_ = &run.record("observatory.csv", observatory_columns);
  }

  void begin_step(std::int64_t step) override {
    step_ = step;
    due_ = every_ > 0 && step % every_ == 0;
    for (auto& observer : observers_) observer->solve = 0;
  }

  std::vector<RowField> fields(const std::string& system) override {
    return observers_.empty() || system != system_ ? std::vector<RowField>() : observers_.front()->fields();
  }

  void finish(Run& run) override {
    if (observed_ == 0 || !ranks_.is_root()) return;
    run.timings().at("instrumentation", "solver diagnostics") += seconds_ + error_seconds_;
    std::string text =
        fmt::format("\n{}: {} solves observed, {:.3g} ms each", system_, observed_, 1e3 * seconds_ / observed_);
    if (wants_error_) text += fmt::format(", and {:.3g} ms each for the errors", 1e3 * error_seconds_ / observed_);
    text += fmt::format("; {:.1f} % of the time loop", 100 * (seconds_ + error_seconds_) / run.loop_seconds());
    run.say_at_end(text + "\n");
  }

 private:
  using Facility<Space>::ranks_, Facility<Space>::facts_, Facility<Space>::run_, Facility<Space>::step_;

  // Watches one solver and observes the solves of the steps that are due.
  class Observer : public SolveWatch<Space> {
   public:
    Observer(Observatory& observatory, const StudiedSystem<Space>& system)
        : part(system.part), reference(system.reference), observatory_(observatory) {}

    void prepared(const Matrix<Space>& A, bool new_pattern, const SetupInfo&) override {
      if (new_pattern || !prepared_from_) structure_ = {};
      has_structure_ = has_structure_ && !new_pattern;
      prepared_from_ = &A;
    }
    void before(const Matrix<Space>& A, View<const double> b, View<const double> x) override {
      if (!observatory_.due_) return;
      ScopedTimer timer(seconds = 0);
      seen_ = {};
      const auto& numbers = observatory_.facts_.numbers;
      if (!rows_)
        rows_.emplace(observatory_.ranks_, numbers ? numbers(observatory_.system_, part) : std::vector<int>());
      if (r_.size() != x.size()) {
        r_ = Array<double, Space>(x.size());
        work_ = Array<double, Space>(2 * x.size());
      }
      observer(A).preconditioner(b, x, r_, work_);
    }
    void after(const Matrix<Space>& A, View<const double> b, View<const double> x, const SolveResult& result) override {
      if (observatory_.due_) {
        timed(seconds, [&] {
          observer(A).residual(b, x, r_);
          if (!std::exchange(has_structure_, true))
            structure_ = SolveObserver<Space>::structure(prepared_from_ ? *prepared_from_ : A, *rows_, is_by_rank());
        });
        if (observatory_.wants_error_) {
          ScopedTimer timer(observatory_.error_seconds_);
          observer(A).error(b, x, View<double>(work_.data(), x.size()));
        }
        observatory_.record(*this, seen_, result);
      }
      ++solve;
    }

    // All ranks call; rank 0 has the fields.
    std::vector<RowField> fields() const {
      std::vector<RowField> fields;
      if (!rows_) return fields;
      const auto add = [&](const char* name, std::vector<double> values) {
        if (!values.empty()) fields.emplace_back(name, std::move(values));
      };
      add("linear_residual", rows_->whole(seen_.row_residual));
      add("linear_error", rows_->whole(seen_.row_error));
      add("fixed_point_residual", rows_->whole(seen_.factors.fixed_point));
      add("dominance_L", rows_->whole(seen_.factors.dominance_L));
      add("dominance_U", rows_->whole(seen_.factors.dominance_U));
      add("stale_reads", rows_->whole(seen_.factors.stale_reads));
      add("precision", rows_->whole(seen_.row_bits));
      add("level", structure_.level);
      add("colour", structure_.colour);
      add("line", structure_.line);
      return fields;
    }

    int part, solve = 0;
    LinearSolver<Space>* reference;
    double seconds = 0;

   private:
    SolveObserver<Space> observer(const Matrix<Space>& A) { return {A, reference->preconditioner(), *rows_, seen_}; }
    bool is_by_rank() const { return !reference->is_independent_of_ranks(); }

    Observatory& observatory_;
    const Matrix<Space>* prepared_from_ = nullptr;
    SolveObservation seen_;
    RowStructure structure_;
    bool has_structure_ = false;
    Array<double, Space> r_, work_;
    std::optional<RowsOfRanks> rows_;  // from the first observed solve on
  };

  void record(const Observer& observer, const SolveObservation& s, const SolveResult& r) {
    ++observed_;
    const double seconds = ranks_.max(observer.seconds);
    seconds_ += seconds;
    const std::string row = fmt::format(
        "{},{},{},{},{},{},{},{:.6g},{:.6g},{},{},{},{},{},{},{},{},{},{},{:.4g},{}", step_, observer.solve, system_,
        observer.part, observer.reference->name(), r.iterations, to_string(r.reason), r.residual0, r.true_residual,
        cell(s.probe), cell(s.fixed_point), cell(s.dominance_L), cell(s.dominance_U), cell(s.median_dominance_L),
        cell(s.median_dominance_U), cell(s.stale_reads), cell(s.largest_residual), s.row_of_largest, cell(s.error),
        1e3 * seconds, fmt::join(s.rows_stored, ","));
    run_->on_root([&] { rows_->add(row); });
  }

  std::string system_;
  std::int64_t every_ = 0;
  bool due_ = false, wants_error_ = false;
  std::vector<std::unique_ptr<Observer>> observers_;
  LineFile* rows_ = nullptr;  // of the run
  double seconds_ = 0, error_seconds_ = 0;
  int observed_ = 0;
};

}  // namespace

const FacilityKind observe_facility = facility_kind<Observatory>("observe", observe_options);

}  // namespace weir
