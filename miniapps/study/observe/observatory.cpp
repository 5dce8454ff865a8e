// [observe]: what a solve looks like from inside, in records and, cell by cell, in the pictures of the flow.
// Every few steps, for each system of that name: the preconditioner's probe |r - A M^-1 r| / |r| of the first residual, of
// asynchronous ILU the fixed-point residual, the dominance of L and U and stale reads, and the early warning
// (early_warning.hpp); after the solve the residual of every block row. error = true: also |x* - x| with an x* to which the
// system was solved on, to 1e-12 of its right-hand side. `observatory.csv` has a row a solve; what it costs stands there
// and at the end of the log. Over ranks the numbers are of the whole system (sums, the largest of all ranks), the time is that
// of the rank that took longest, and the rows of all ranks come together on rank 0 for a picture.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/timer.hpp"
#include "miniapps/study/facility.hpp"
#include "miniapps/study/observe/observe_rows.hpp"
#include "miniapps/study/recorder/early_warning.hpp"

namespace weir {

Options observe_options() {
  static constexpr Option keys[] = {
      {"system", Option::text, "", "one of [linear.SYSTEM]"},
      {"every", Option::integer, "10", "between two diagnoses of the system; 0: off", "[0, inf)", "steps"},
      {"error", Option::boolean, "false", "solve once more, tightly, for the error of each solve"}};
  return keys;
}

namespace {

constexpr const char* observatory_columns =
    "step,solve,system,part,solver,iterations,reason,r0,r_true,probe,warning,fixed_point,dominance_L,dominance_U,"
    "median_dominance_L,median_dominance_U,stale_reads,largest_row_residual,row,error,observe_ms,"
    "rows_half,rows_bfloat16,rows_float,rows_double";

template <class Space>
int most_iterations(const StudiedSystem<Space>& system) {
  return system.options.template get<int>("max_iterations", KrylovOptions().max_iterations);
}

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
    eyes_.push_back(std::make_unique<Eye>(*this, system));
    system.reference->watch(eyes_.back().get());
  }

  void open(Run& run) override {
    run_ = &run;
    if (!eyes_.empty() && ranks_.is_root()) rows_ = &run.record("observatory.csv", observatory_columns);
  }

  void begin_step(std::int64_t step) override {
    step_ = step;
    due_ = every_ > 0 && step % every_ == 0;
    for (auto& eye : eyes_) eye->solve = 0;
  }

  std::vector<RowField> fields(const std::string& system) override {
    return eyes_.empty() || system != system_ ? std::vector<RowField>() : eyes_.front()->fields();
  }

  void finish(Run& run) override {
    if (observed_ == 0 || !ranks_.is_root()) return;
    run.timings().at("instrumentation", "solver diagnostics") += seconds_ + error_seconds_;
    std::string text =
        fmt::format("\n{}: {} solves observed, {:.3g} ms each", system_, observed_, 1e3 * seconds_ / observed_);
    if (wants_error_)
      text +=
          fmt::format(", and {:.3g} ms for their errors against a direct solution", 1e3 * error_seconds_ / observed_);
    text += fmt::format("; {:.1f} % of the loop", 100 * (seconds_ + error_seconds_) / run.loop_seconds());
    if (warnings_) text += fmt::format("; {} early warnings (events.jsonl)", warnings_);
    run.say_at_end(text + "\n");
  }

 private:
  using Facility<Space>::ranks_, Facility<Space>::facts_, Facility<Space>::run_, Facility<Space>::step_;

  // Sees every system of its solver; looks at those of the steps that are due.
  class Eye : public SolveWatch<Space> {
   public:
    Eye(Observatory& observatory, const StudiedSystem<Space>& system)
        : part(system.part), reference(system.reference), observatory_(observatory), warner_(most_iterations(system)) {}

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
      warned = is_asynchronous() && warner_.look(seen_.probe);
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
        warner_.took(result.iterations);
        observatory_.record(*this, seen_, result);
      }
      ++solve;
    }

    // All ranks call; those other than 0 get none.
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
    bool warned = false;
    double seconds = 0;

   private:
    // Of asynchronous ILU alone: an exact factorisation may have a large probe and converge.
    bool is_asynchronous() const { return seen_.dominance_L >= 0; }
    SolveObserver<Space> observer(const Matrix<Space>& A) { return {A, reference->preconditioner(), *rows_, seen_}; }
    bool is_by_rank() const { return !reference->is_independent_of_ranks(); }

    Observatory& observatory_;
    const Matrix<Space>* prepared_from_ = nullptr;
    SolveObservation seen_;
    RowStructure structure_;
    bool has_structure_ = false;
    EarlyWarning warner_;
    Array<double, Space> r_, work_;
    std::optional<RowsOfRanks> rows_;  // from the first look on
  };

  void record(const Eye& eye, const SolveObservation& s, const SolveResult& r) {
    ++observed_;
    const double seconds = ranks_.max(eye.seconds);
    seconds_ += seconds;
    if (eye.warned) {
      ++warnings_;
      run_->event(
          "warning",
          fmt::format("{}: asynchronous ILU may stagnate at step {}: one application amplifies the residual "
                      "{:.2g} times (use more build or apply sweeps, a smaller block size (chunk), or block_ilu0)",
                      system_, step_, s.probe));
    }
    const std::string row = fmt::format(
        "{},{},{},{},{},{},{},{:.6g},{:.6g},{},{},{},{},{},{},{},{},{},{},{},{:.4g},{}", step_, eye.solve, system_,
        eye.part, eye.reference->name(), r.iterations, to_string(r.reason), r.residual0, r.true_residual, cell(s.probe),
        s.dominance_L >= 0 ? (eye.warned ? "1" : "0") : "", cell(s.fixed_point), cell(s.dominance_L),
        cell(s.dominance_U), cell(s.median_dominance_L), cell(s.median_dominance_U), cell(s.stale_reads),
        cell(s.largest_residual), s.row_of_largest, cell(s.error), 1e3 * seconds, fmt::join(s.rows_stored, ","));
    run_->on_root([&] { rows_->add(row); });
  }

  std::string system_;
  std::int64_t every_ = 0;
  bool due_ = false, wants_error_ = false;
  std::vector<std::unique_ptr<Eye>> eyes_;
  LineFile* rows_ = nullptr;  // of the run
  double seconds_ = 0, error_seconds_ = 0;
  int observed_ = 0, warnings_ = 0;
};

}  // namespace

template <class Space>
std::unique_ptr<Facility<Space>> make_observatory(const LabCase& c) {
  return std::make_unique<Observatory<Space>>(c);
}
template std::unique_ptr<Facility<Host>> make_observatory<Host>(const LabCase&);
template std::unique_ptr<Facility<Device>> make_observatory<Device>(const LabCase&);

}  // namespace weir
