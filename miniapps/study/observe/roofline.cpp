// [roofline]: speed of the solvers' kernels on the systems of the run compared with the memory bandwidth (Williams,
// Waterman & Patterson, CACM 52 (2009) 65), without a profiler: matrices and preconditioners state the minimal bytes
// and operations of a call (solvers/matrix/work.hpp), and the calls are timed here. Measured are copies of the
// reference solver of each system and of the candidates of [shadow]. roofline.csv has one row per step, solver and
// kernel: `spmv`, `apply` and `update` of the preconditioner, and the separable parts of an application (colours,
// sweeps, levels). Each kernel is repeated on the same data, which a cache may hold; therefore the triad is also
// measured on arrays of the same size. Over ranks all call a kernel at the same time: bytes and operations are summed,
// the time is that of the slowest rank.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <map>

#include "base/timer.hpp"
#include "miniapps/study/facility.hpp"
#include "postproc/run/records.hpp"
#include "solvers/device/median_seconds.hpp"
#include "solvers/device/triad.hpp"
#include "solvers/parallel/agree.hpp"
#include "solvers/parallel/broadcast_text.hpp"

namespace weir {

static Options roofline_options() {
  static constexpr Option keys[] = {{"every", Option::integer, "0",
                                     "number of steps between two measurements of the solvers' kernels; 0: off",
                                     "[0, inf)", "steps"}};
  return keys;
}

namespace {

constexpr const char* roofline_columns =
    "step,system,solver,kernel,bytes,flops,seconds,gb_per_s,gflop_per_s,triad_gb_per_s,triad_same_size_gb_per_s";

double giga(double value, double seconds) { return 1e-9 * value / seconds; }

template <class Space>
class Roofline : public Facility<Space> {
 public:
  explicit Roofline(const LabCase& c) : Facility<Space>(c.ranks), config_(c.config) {
    every_ = c.config.table("roofline").described_by(roofline_options()).get<std::int64_t>("every");
  }

  void attach(const StudiedSystem<Space>& s) override {
    if (every_ == 0 || s.part > 0) return;
    auto& system = *systems_.emplace_back(std::make_unique<System>(*this, s.name));
    system.add(s.options, s);
    const Table shadow = config_.table("shadow").described_by(shadow_options());
    if (shadow.get<std::string>("system") == s.name)
      for (const auto& name : shadow.get<std::vector<std::string>>("solvers")) {
        const Table candidate = config_.table("shadow").table(name);
        if (is_reference(candidate)) continue;
        if (candidate.get<std::string>("method", "").find(':') == std::string::npos) system.add(candidate, s);
      }
    s.reference->watch(&system);
  }

  void open(Run& run) override {
    run_ = &run;
    if (systems_.empty()) return;
    triad_ = triad_of_all(triad_beyond_caches, ranks_.ranks_on_this_machine());
    if (ranks_.is_root()) rows_ = &run.record("roofline.csv", roofline_columns);
  }

  void begin_step(std::int64_t step) override {
    step_ = step;
    due_ = every_ > 0 && step % every_ == 0;
  }

  void finish(Run& run) override {
    if (last_.empty() || !ranks_.is_root()) return;
    run.timings().at("instrumentation", "roofline") += seconds_;
    std::string text = fmt::format(
        "\nkernels at step {}: minimal bytes / measured time; memory bandwidth (triad) {:.1f} GB/s{}\n"
        "  {:<20} {:<24} {:<16} {:>9} {:>9} {:>8} {:>9} {:>14}\n",
        last_step_, 1e-9 * triad_, ranks_.size() > 1 ? fmt::format(", {} ranks concurrently", ranks_.size()) : "",
        "system", "solver", "kernel", "MB", "us", "GB/s", "of triad", "in cache");
    for (const Row& row : last_) {
      const double rate = static_cast<double>(row.work.bytes) / row.seconds;
      text += fmt::format("  {:<20} {:<24} {:<16} {:>9.3f} {:>9.1f} {:>8.1f} {:>9.2f} {:>14.2f}\n", row.system,
                          row.solver, row.kernel, 1e-6 * static_cast<double>(row.work.bytes), 1e6 * row.seconds,
                          1e-9 * rate, rate / triad_, rate / triad_of(row.work.bytes));
    }
    run.say_at_end(text);
  }

 private:
  using Facility<Space>::ranks_, Facility<Space>::run_, Facility<Space>::step_;

  struct Row {
    std::string system, solver, kernel;  // solver: "matrix" for spmv
    Work work;
    double seconds = 0;
  };

  // The solvers of one system; measures them at its solves.
  class System : public SolveWatch<Space> {
   public:
    System(Roofline& owner, std::string system) : owner_(owner), system_(std::move(system)) {}

    void add(const Table& options, const StudiedSystem<Space>& s) {
      auto solver = std::make_unique<LinearSolver<Space>>(options, s.default_method, s.default_preconditioner);
      solver->spread_like(*s.reference);
      for (const auto& there : solvers_)  // same kernels
        if (there->name() == solver->name() && there->describe() == solver->describe()) return;
      solvers_.push_back(std::move(solver));
    }

    void prepared(const Matrix<Space>& A, bool, const SetupInfo&) override { prepared_from_ = &A; }
    void after(const Matrix<Space>& A, View<const double> b, View<const double>, const SolveResult&) override {
      if (!owner_.due_ || owner_.step_ == measured_) return;
      measured_ = owner_.step_;
      const ScopedTimer timer(owner_.seconds_);
      if (z_.size() != b.size()) z_ = Array<double, Space>(b.size());
      keep("matrix", "spmv", A.apply_work(), [&] { A.apply(b, z_); });
      const Matrix<Space>& from = prepared_from_ ? *prepared_from_ : A;
      for (const auto& solver : solvers_) {
        Preconditioner<Space>& M = solver->preconditioner();
        M.setup(from);
        keep(solver->name(), "update", M.update_work(), [&] { M.update(from); });
        keep(solver->name(), "apply", M.apply_work(), [&] { M.apply(b, z_); });
        keep_parts(solver->name(), M.parts(), b);
      }
    }

   private:
    // All ranks call; work: of this rank, zero if it takes no part in the kernel.
    template <class Call>
    void keep(const std::string& solver, const std::string& kernel, const Work& work, const Call& call) {
      const Communicator& ranks = owner_.ranks_;
      Work all;
      all.bytes = std::llround(ranks.sum(static_cast<double>(work.bytes)));
      all.flops = std::llround(ranks.sum(static_cast<double>(work.flops)));
      if (all.bytes == 0) return;
      owner_.keep({system_, solver, kernel, all, median_seconds(call, 5, Together{ranks})});
    }
    // Ranks may have different numbers of colours.
    void keep_parts(const std::string& solver, const std::vector<PartOfApply<Space>>& parts, View<const double> b) {
      const Communicator& ranks = owner_.ranks_;
      const auto most = static_cast<std::size_t>(ranks.max(static_cast<double>(parts.size())));
      for (std::size_t k = 0; k < most; ++k) {
        const PartOfApply<Space>* part = k < parts.size() ? &parts[k] : nullptr;
        std::string name = part ? part->name : "";
        broadcast_text(ranks, name, static_cast<int>(-ranks.max(part ? -ranks.rank() : -ranks.size())));
        keep(solver, name, part ? part->work : Work{}, [&] {
          if (part) part->run(b, z_);
        });
      }
    }

    Roofline& owner_;
    std::string system_;
    std::vector<std::unique_ptr<LinearSolver<Space>>> solvers_;
    Array<double, Space> z_;
    std::int64_t measured_ = -1;
    const Matrix<Space>* prepared_from_ =
        nullptr;  // matrix of the preconditioner, may differ from the operator (matrix-free)
  };

  void keep(const Row& row) {
    if (last_step_ != step_) last_.clear();
    last_step_ = step_;
    last_.push_back(row);
    const std::string line = fmt::format(
        "{},{},{},{},{},{},{:.6g},{:.5g},{:.5g},{:.5g},{:.5g}", step_, row.system, row.solver, row.kernel,
        row.work.bytes, row.work.flops, row.seconds, giga(static_cast<double>(row.work.bytes), row.seconds),
        giga(static_cast<double>(row.work.flops), row.seconds), 1e-9 * triad_, 1e-9 * triad_of(row.work.bytes));
    run_->on_root([&] { rows_->add(line); });
  }

  // Bytes of all ranks over the time of the slowest. bytes: of `sharers` ranks together.
  double triad_of_all(std::int64_t bytes, int sharers) const {
    return ranks_.size() * triad_bytes_per_second<Space>(bytes / sharers, 5, Together{ranks_});
  }

  // Sizes within a factor of two share a measurement.
  double triad_of(std::int64_t bytes) {
    const auto size = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(bytes)));
    if (size >= triad_beyond_caches) return triad_;
    const auto [found, is_new] = triads_.try_emplace(size, 0.0);
    if (is_new) found->second = triad_of_all(size, ranks_.size());
    return found->second;
  }

  Table config_;
  std::int64_t every_ = 0;
  bool due_ = false;
  double triad_ = 0, seconds_ = 0;
  std::map<std::int64_t, double> triads_;  // keyed by the bytes, rounded down to a power of two
  std::vector<std::unique_ptr<System>> systems_;
  std::vector<Row> last_;  // last measurement
  std::int64_t last_step_ = 0;
  LineFile* rows_ = nullptr;  // of the run
};

}  // namespace

const FacilityKind roofline_facility = facility_kind<Roofline>("roofline", roofline_options);

}  // namespace weir
